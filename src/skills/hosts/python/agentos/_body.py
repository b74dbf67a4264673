"""Bodies of requests, and what kind they are of."""

import base64
import os

from agentos import _json
from agentos.url import build


def encode_body(json=None, data=None, body=None, files=None):
    if files:
        content, kind = _multipart(data or {}, files)
        return _wire(content), kind
    if json is not None:
        return {"text": _json.encode(json)}, "application/json"
    given = data if data is not None else body
    if given is None:
        return None, None
    if isinstance(given, (dict, list, tuple)):
        if data is None:
            return {"text": _json.encode(given)}, "application/json"
        return {"text": build("", params=given).lstrip("?")}, "application/x-www-form-urlencoded"
    return _wire(given), None


def _wire(content):
    if isinstance(content, str):
        return {"text": content}
    return {"base64": base64.b64encode(bytes(content)).decode("ascii")}


def _multipart(fields, files):
    boundary = os.urandom(16).hex()
    out = []
    for name, value in fields.items():
        out.append(_part(boundary, name, None, None, str(value).encode()))
    for name, given in files.items() if hasattr(files, "items") else files:
        filename, content, kind = _file(given)
        out.append(_part(boundary, name, filename, kind, content))
    out.append(f"--{boundary}--\r\n".encode())
    return b"".join(out), f"multipart/form-data; boundary={boundary}"


def _file(given):
    filename, content, kind = (*given, None)[:3] if isinstance(given, tuple) else (None, given, None)
    if hasattr(content, "read"):
        filename = filename or os.path.basename(str(getattr(content, "name", "file")))
        content = content.read()
    if isinstance(content, str):
        content = content.encode()
    filename = filename or "file"
    import mimetypes

    return filename, bytes(content), kind or mimetypes.guess_type(filename)[0] or "application/octet-stream"


def _part(boundary, name, filename, kind, content):
    quoted = [_quote(text) for text in (name, filename or "")]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{quoted[0]}"'
    if filename is not None:
        head += f'; filename="{quoted[1]}"\r\nContent-Type: {kind}'
    return f"{head}\r\n\r\n".encode() + content + b"\r\n"


def _quote(text):
    return str(text).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
