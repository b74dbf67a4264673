"""``agentos.plist`` by its older name."""

from agentos.plist import loads, parse  # noqa: F401
