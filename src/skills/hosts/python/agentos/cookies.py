"""The cookie header of a run, as skills pass it on: a handle."""

from agentos import _context
from agentos._handle import Handle


def get_cookies(params=None):
    auth = (params or {}).get("auth") or {}
    return auth.get("cookies") or None


def require_cookies(params=None, op="this operation"):
    header = get_cookies(params)
    if not header:
        raise ValueError(f"{op} needs the cookies of a login, and there are none")
    return header


def parse_cookie(header, name):
    # Of the run's own header each cookie is there by its name.
    if isinstance(header, Handle):
        return _context.auth().get(name)
    for pair in (header or "").split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name:
            return value or None
    return None


def cookie_header(given):
    """One header of a header, of names and values, or of records with both."""
    if not given:
        return ""
    if isinstance(given, str):
        return str(given)
    if hasattr(given, "items"):
        pairs = given.items()
    else:
        pairs = [(one["name"], one["value"]) if hasattr(one, "keys") else one for one in given]
    return "; ".join(f"{name}={value}" for name, value in pairs if value is not None)
