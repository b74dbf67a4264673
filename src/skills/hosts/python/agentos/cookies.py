"""The cookie header of a run, as skills pass it on: a handle."""


def get_cookies(params=None):
    auth = (params or {}).get("auth") or {}
    return auth.get("cookies") or None


def require_cookies(params=None, op="this operation"):
    header = get_cookies(params)
    if not header:
        raise ValueError(f"{op} needs the cookies of a login, and there are none")
    return header


def parse_cookie(header, name):
    for pair in (header or "").split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name:
            return value or None
    return None
