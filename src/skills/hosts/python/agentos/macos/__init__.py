"""Where skills written for one system look for these."""

from agentos import keychain, plist  # noqa: F401
