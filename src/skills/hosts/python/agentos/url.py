"""Addresses, put together and taken apart."""

from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit


def build(base, path=None, params=None, fragment=None, **query):
    """``base``, with a path added, and a query: lists repeat their name, None is left out."""
    parts = urlsplit(base)
    joined = parts.path
    if path is not None:
        joined = joined.rstrip("/") + "/" + str(path).lstrip("/")
    fields = [*_fields(params), *_fields(query)]
    text = "&".join(f"{quote(str(name), safe='')}={quote(value, safe='')}" for name, value in fields)
    whole = "&".join(part for part in (parts.query, text) if part)
    return urlunsplit((parts.scheme, parts.netloc, joined, whole, parts.fragment if fragment is None else fragment))


def parse(address):
    parts = urlsplit(address)
    return {
        "scheme": parts.scheme,
        "host": parts.hostname or "",
        "port": parts.port,
        "path": parts.path,
        "query": dict(parse_qsl(parts.query, keep_blank_values=True)),
        "fragment": parts.fragment,
    }


def encode(text):
    return quote(str(text), safe="")


def decode(text):
    return unquote(str(text))


def _fields(params):
    pairs = params.items() if hasattr(params, "items") else params or []
    for name, value in pairs:
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                yield name, ("true" if one else "false") if isinstance(one, bool) else str(one)
