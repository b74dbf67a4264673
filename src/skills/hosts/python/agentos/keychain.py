"""Items of the system's keychain, where the owner granted them."""

import base64

from agentos._awaitable import awaitable
from agentos._connection import ask


def read(service, account=None, binary=False):
    """Text, or with ``binary`` the bytes in hexadecimal."""
    asked = {"service": service} if account is None else {"service": service, "account": account}
    body = ask("keychain", asked)
    data = body["text"].encode() if "text" in body else base64.b64decode(body["base64"])
    return awaitable(data.hex() if binary else data.decode("utf-8", "replace").rstrip("\n"))
