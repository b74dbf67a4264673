"""Text that was scraped, made fit to keep."""

import html
import re

_NOTHING = {"", "-", "–", "—", "n/a", "na", "none", "null", "unknown", "not available", "not specified", "undefined"}
_NOTHING_YET = re.compile(r"(?i)^(?:hasn't|has not|haven't|have not) added any\b.*")
_SCALE = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_NUMBER = re.compile(r"[-+]?(?:\d[\d,\u00a0\u202f]*(?:\.\d+)?|\.\d+)\s?([kKmMbB](?![a-zA-Z]))?")


def molt(value, kind=str):
    """The value under the mess: text without markup, or a number or date in it. None where there is nothing."""
    name = kind if isinstance(kind, str) else getattr(kind, "__name__", "str")
    if name == "date":
        from agentos.dates import parse_date

        return parse_date(molt(value) if isinstance(value, str) else value)
    if name == "int":
        return parse_int(value)
    if name == "float":
        return parse_float(value)
    if value is None:
        return None
    return clean_sentinel(clean_text(strip_tags(str(value))))


def strip_tags(text):
    if text is None:
        return None
    without = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>", " ", str(text))
    return html.unescape(re.sub(r"(?s)<!--.*?-->|</?[a-zA-Z][^>]*>", "", without))


def clean_text(text):
    if text is None:
        return None
    return re.sub(r"\s+", " ", html.unescape(str(text))).strip() or None


def clean_html(text):
    """Without tags, with the paragraphs and lines they made."""
    if text is None:
        return None
    broken = re.sub(r"(?i)<br\s*/?>", "\n", str(text))
    broken = re.sub(r"(?i)</(p|div|li|h[1-6]|blockquote|tr)\s*>", "\n\n", broken)
    lines = [re.sub(r"[ \t\r\f\v\u00a0]+", " ", line).strip() for line in strip_tags(broken).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() or None


def clean_sentinel(text):
    """None for what services write where there is nothing."""
    if text is None:
        return None
    bare = str(text).strip()
    return None if bare.lower() in _NOTHING or _NOTHING_YET.match(bare) else text


def parse_float(value):
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value)
    found = _NUMBER.search(strip_tags(value))
    if found is None:
        return None
    digits = re.sub(r"[,\s\u00a0\u202fkKmMbB]", "", found.group(0))
    return float(digits) * _SCALE.get((found.group(1) or "").lower(), 1)


def parse_int(value):
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = parse_float(value)
    return None if number is None else int(round(number, 6))
