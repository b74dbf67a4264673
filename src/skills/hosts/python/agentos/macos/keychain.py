"""``agentos.keychain`` by its older name."""

from agentos.keychain import read  # noqa: F401
