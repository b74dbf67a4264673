"""Property lists, also those an NSKeyedArchiver wrote."""

from agentos._awaitable import awaitable


def parse(data, extract=None):
    """The whole list, or of an archive the objects at the indices ``extract`` gives names to."""
    import plistlib

    parsed = plistlib.loads(bytes.fromhex(data.strip()) if isinstance(data, str) and _is_hex(data) else _bytes(data))
    if extract is None:
        return awaitable(parsed) if isinstance(parsed, (dict, list)) else parsed
    objects = parsed.get("$objects", [])
    return awaitable({name: _object(objects, index) for name, index in extract.items()})


def loads(data):
    return parse(data)


def _object(objects, index):
    value = objects[index] if isinstance(index, int) and 0 <= index < len(objects) else None
    return value.get("NS.string", value) if isinstance(value, dict) else value


def _bytes(data):
    return data.encode() if isinstance(data, str) else bytes(data)


def _is_hex(text):
    return all(char in "0123456789abcdefABCDEF" for char in text.strip()) and len(text.strip()) % 2 == 0
