"""Dates in ISO 8601, as exact as what they were read from."""

import datetime
import re

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_FORMS = [
    (re.compile(rf"(?i)\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b"), ("month", "day", "year")),
    (re.compile(rf"(?i)\b(\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(\d{{4}})\b"), ("day", "month", "year")),
    (re.compile(rf"(?i)\b{_MONTH},?\s+(\d{{4}})\b"), ("month", "year")),
    (re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b"), ("month", "day", "year")),
    (re.compile(r"\b(\d{4})/(\d{1,2})/(\d{1,2})\b"), ("year", "month", "day")),
    (re.compile(r"^\s*(\d{4})\s*$"), ("year",)),
]
_ISO = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?)?")
# Later in seconds than in milliseconds: the year 5138.
_MILLISECONDS = 1e11


def iso_from_seconds(seconds):
    if seconds is None:
        return None
    moment = datetime.datetime.fromtimestamp(float(seconds), datetime.timezone.utc)
    return moment.isoformat().replace("+00:00", "Z")


def iso_from_ms(milliseconds):
    return None if milliseconds is None else iso_from_seconds(float(milliseconds) / 1000)


def parse_date(value):
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, (int, float)):
        return iso_from_ms(value) if abs(value) >= _MILLISECONDS else iso_from_seconds(value)
    text = str(value)
    found = _ISO.search(text)
    if found:
        return found.group(0).replace(" ", "T", 1)
    for form, names in _FORMS:
        match = form.search(text)
        if match:
            return _iso(dict(zip(names, match.groups())))
    return None


def _iso(parts):
    month = parts.get("month")
    number = None if month is None else int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    day = int(parts["day"]) if "day" in parts else None
    if number is not None and not 1 <= number <= 12 or day is not None and not 1 <= day <= 31:
        return None
    date = parts["year"]
    for part in (number, day):
        date += "" if part is None else f"-{part:02d}"
    return date
