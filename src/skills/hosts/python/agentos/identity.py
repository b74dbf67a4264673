"""One spelling for the same person."""

import re


def normalize_email(text):
    """Lower case, without ``mailto:`` and a display name."""
    if not text:
        return None
    found = re.search(r"<([^<>]+)>", str(text))
    address = (found.group(1) if found else str(text)).strip()
    address = re.sub(r"(?i)^mailto:", "", address).strip().lower()
    return address if re.fullmatch(r"[^\s@]+@[^\s@]+", address) else None


def normalize_phone(text, country="1"):
    """E.164. A number without a country is one of ``country``."""
    if not text:
        return None
    raw = re.sub(r"(?i)^tel:", "", str(text).strip())
    digits = re.sub(r"\D", "", re.split(r"(?i)\s*(?:ext|x)\.?\s*\d+$", raw)[0])
    if raw.startswith("+"):
        international = digits
    elif raw.startswith("00"):
        international = digits[2:]
    elif country == "1" and len(digits) == 11 and digits.startswith("1"):
        international = digits
    else:
        international = country + digits.lstrip("0")
    return f"+{international}" if 7 <= len(international) <= 15 else None


def normalize_handle(text):
    """Lower case, without the ``@`` and the address of a profile."""
    if not text:
        return None
    handle = str(text).strip()
    if "://" in handle:
        handle = re.sub(r"[?#].*$", "", handle).rstrip("/").rsplit("/", 1)[-1]
    return handle.lstrip("@").strip().lower() or None
