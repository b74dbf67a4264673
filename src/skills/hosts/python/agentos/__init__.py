"""What skills import: requests, databases, programs and helpers. Everything that leaves the process is a message to
the engine, which adds the identity and decides whether it may be. Every call works with and without ``await``."""

from agentos import client, crypto, http, keychain, macos, oauth, plist, progress, shape, shell, sql, url
from agentos.cookies import get_cookies, parse_cookie, require_cookies
from agentos.dates import iso_from_ms, iso_from_seconds, parse_date
from agentos.decorators import claims, connection, provides, returns, test, timeout
from agentos.errors import NeedsCredentials, NeedsRelogin, SessionExpired, SkillError
from agentos.http import surf
from agentos.identity import normalize_email, normalize_handle, normalize_phone
from agentos.results import skill_error, skill_result, skill_secret
from agentos.results import skill_error as app_error
from agentos.results import skill_result as app_result
from agentos.results import skill_secret as app_secret
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

__all__ = [name for name in dir() if not name.startswith("_")]
