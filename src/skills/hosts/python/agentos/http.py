"""Requests, which the engine sends with the identity of the connection."""

from agentos import _context
from agentos._body import encode_body
from agentos._response import Response
from agentos.cookies import cookie_header, get_cookies, parse_cookie, require_cookies  # noqa: F401 -- for skills too
from agentos.results import skill_error, skill_result, skill_secret  # noqa: F401
from agentos.url import build as build_url
from agentos.url import decode, encode  # noqa: F401
from agentos.url import parse as parse_url  # noqa: F401

# Not a name a header can have, so that it is never sent: what `headers` was asked for, which the engine carries out.
DRESS = ":dress"

_WAFS = {"cf": "cf", "cloudflare": "cf", "cloudfront": "cf", "standard": "cf", "vercel": "vercel"}
_MODES = {"fetch": "fetch", "cors": "fetch", "navigate": "navigate"}


def headers(*, waf=None, ua=None, mode=None, accept=None, extra=None):
    """A browser's headers, one knob at a time, to be passed on with ``**``."""
    knobs = {"waf": _WAFS.get(waf), "ua": ua, "mode": _MODES.get(mode), "accept": accept}
    dress = {name: value for name, value in knobs.items() if value is not None}
    conf = {"headers": {DRESS: dress, **(extra or {})}}
    if "waf" in dress:
        conf["http2"] = dress["waf"] != "vercel"
    return conf


def request(method, url, *, params=None, headers=None, json=None, data=None, body=None, content=None, files=None,
            cookies=None, auth=None, timeout=None, http2=None, mode=None, jar=None, skip_cookies=None,
            follow_redirects=None, allow_redirects=None, profile=None, session=False, **_ignored):  # fmt: skip
    """One request. In a running event loop it is under way at once and waited for when its answer is used."""
    pairs, dress = _split_headers(headers)
    if profile is not None:
        dress = {**_PROFILES.get(profile, {}), **dress}
    if isinstance(auth, (tuple, list)) and len(auth) == 2:
        pairs.append(["Authorization", basic(*auth)])
    content, kind = encode_body(json=json, data=data, body=body if body is not None else content, files=files)
    if kind is not None and not any(name.lower() == "content-type" for name, _ in pairs):
        pairs.append(["Content-Type", kind])
    follow = follow_redirects if follow_redirects is not None else allow_redirects
    optional = {
        "body": content,
        "dress": dress or None,
        "cookies": cookie_header(cookies) or None,
        "session": True if session else None,
        "timeoutMs": timeout * 1000 if isinstance(timeout, (int, float)) and timeout > 0 else None,
        "http2": http2,
        "mode": mode if mode in ("browser", "fetch", "api") else None,
        "jar": "none" if jar is False or jar == "none" else None,
        "skipCookies": list(skip_cookies) if skip_cookies else None,
        "redirect": None if follow is None else "follow" if follow else "manual",
    }
    asked = {"method": method.upper(), "url": build_url(url, params=params) if params else url, "headers": pairs}
    asked.update((name, value) for name, value in optional.items() if value is not None)
    return Response(asked)


def get(url, **options):
    return request("GET", url, **options)


def post(url, **options):
    return request("POST", url, **options)


def put(url, **options):
    return request("PUT", url, **options)


def patch(url, **options):
    return request("PATCH", url, **options)


def delete(url, **options):
    return request("DELETE", url, **options)


def head(url, **options):
    return request("HEAD", url, **options)


def client(cookies=None, **options):
    """The same verbs with options of their own; the jar is the engine's."""
    from agentos._session import Session

    return Session(cookies=cookies, **options)


surf = client


def __getattr__(name):
    # Named in annotations; it is made from the verbs above.
    if name in ("Client", "AsyncClient", "Session"):
        from agentos._session import Session

        globals().update(Client=Session, AsyncClient=Session, Session=Session)
        return Session
    raise AttributeError(f"module 'agentos.http' has no attribute {name!r}")


def basic(user, password=""):
    """What ``Authorization: Basic`` carries. The engine looks into it for handles."""
    import base64

    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def cookies(domain=None, account=None):
    """The run's cookies, as the handle the engine fills in. There are no others to ask for."""
    from agentos._awaitable import awaitable
    from agentos.errors import NeedsCredentials

    header = _context.auth().get("cookies")
    if not header:
        raise NeedsCredentials(f"there are no cookies for {domain or 'this run'}")
    return awaitable(header)


_PROFILES = {
    "json": {"accept": "json"},
    "api": {"waf": "cf", "accept": "json"},
    "navigate": {"waf": "cf", "mode": "navigate", "accept": "html"},
}


def _split_headers(given):
    """Names and values, and the knobs of `headers`, wherever in there they are."""
    given = dict(given or {})
    # `headers=http.headers(…)`, without the asterisks.
    if isinstance(given.get("headers"), dict):
        given = {**given.pop("headers"), **{name: value for name, value in given.items() if name != "http2"}}
    dress = given.pop(DRESS, {})
    return [[str(name), str(value)] for name, value in given.items() if value is not None], dress
