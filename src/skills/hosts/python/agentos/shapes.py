"""``agentos.shape`` by its other name."""

from agentos.shape import __getattr__  # noqa: F401
