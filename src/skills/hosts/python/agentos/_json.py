"""JSON as the engine reads it: no NaN, and the kinds of value that skills return besides JSON's own."""

import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import json
import math
import os

from agentos._awaitable import Settled


def encode(value):
    try:
        return json.dumps(value, default=_stand_in, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError):
        return json.dumps(plain(value), allow_nan=False, separators=(",", ":"))


def plain(value):
    """The same value in JSON's own kinds. NaN is null, keys are strings."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, collections.abc.Mapping):
        return {_key(key): plain(of) for key, of in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return plain(_stand_in(value))


def _key(key):
    if isinstance(key, str):
        return key
    if isinstance(key, bool) or key is None:
        return json.dumps(key)
    return str(plain(key))


def _stand_in(value):
    if isinstance(value, Settled):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() and value.is_finite() else float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, os.PathLike) or type(value).__name__ == "UUID":
        return str(value)
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, collections.abc.Mapping):
        return dict(value.items())
    if isinstance(value, collections.abc.Iterable):
        return list(value)
    raise TypeError(f"a {type(value).__name__} cannot be returned: only what JSON can hold")
