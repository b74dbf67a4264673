"""What skills import: requests, databases, programs and helpers. Everything that leaves the process is a message to
the engine, which adds the identity and decides whether it may be. Every call works with and without ``await``."""

from agentos import client, crypto, http, keychain, macos, oauth, plist, progress, shape, shapes, shell, sql, url
from agentos.cookies import get_cookies, parse_cookie, require_cookies
from agentos.dates import iso_from_ms, iso_from_seconds, parse_date
from agentos.dates import parse_date as canonicalize_datetime
from agentos.decorators import account, claims, connection, provides, returns, test, timeout
from agentos.errors import NeedsCredentials, NeedsRelogin, SessionExpired, SkillError
from agentos.http import surf
from agentos.identity import normalize_email, normalize_handle, normalize_phone
from agentos.results import app_error, app_result, app_secret, skill_error, skill_result, skill_secret
from agentos.text import clean_html, clean_sentinel, clean_text, molt, parse_float, parse_int, strip_tags
from agentos.tools import (
    cookie_auth,
    email_lookup,
    file_info,
    file_list,
    file_read,
    flight_search,
    geocoding,
    llm,
    map_tiles,
    oauth_auth,
    web_read,
    web_search,
)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    from agentos._missing import Missing

    return Missing(name)


__all__ = [name for name in dir() if not name.startswith("_")]
