"""An answer, as a dict and as an object, awaited or not."""

import base64
import collections.abc
import json

from agentos import _connection
from agentos._awaitable import in_event_loop
from agentos._handle import covered
from agentos.errors import CallError


class Headers(dict):
    """Names in lower case, found in any."""

    def __init__(self, pairs=()):
        super().__init__()
        for name, value in pairs:
            known = super().get(name.lower())
            super().__setitem__(name.lower(), value if known is None else f"{known}, {value}")

    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __contains__(self, name):
        return isinstance(name, str) and super().__contains__(name.lower())

    def get(self, name, default=None):
        return super().get(name.lower(), default)


class HTTPStatusError(CallError):
    def __init__(self, response):
        super().__init__(f"HTTP {response.status_code} from {response.url}", f"HTTP_{response.status_code}")
        self.response = response


class Response(dict):
    """Outside an event loop the answer is there when this is. Inside one it is under way, and using it waits."""

    def __init__(self, request):
        super().__init__()
        self._future = _connection.submit("http", request)
        self._steps = None
        self._filled = False
        self.request = request
        if not in_event_loop():
            self._fill()

    def _fill(self):
        if self._filled:
            return self
        answer = self._future.result()
        self._filled = True
        body = answer["body"]
        self._bytes = body["text"].encode() if "text" in body else base64.b64decode(body["base64"])
        text = body["text"] if "text" in body else self._bytes.decode("utf-8", "replace")
        self._cookies = covered(answer.get("cookies") or {})
        status = answer["status"]
        super().update(
            status=status,
            ok=200 <= status < 300,
            url=answer["url"],
            headers=Headers(answer["headers"]),
            body=text[1:] if text.startswith("\ufeff") else text,
            json=None,
        )
        if _looks_like_json(text, super().get("headers")):
            try:
                super().__setitem__("json", json.loads(super().get("body")))
            except ValueError:
                pass
        return self

    def __await__(self):
        if not self._future.done():
            import asyncio

            yield from asyncio.wrap_future(self._future).__await__()
        return self._fill()

    # A task can be made of it, as of any coroutine, and asyncio.gather keeps it in a dict.
    __hash__ = object.__hash__

    def send(self, value):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(self, *error):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.throw(*error)

    def close(self):
        if self._steps is not None:
            self._steps.close()

    # As an object.
    @property
    def status_code(self):
        return self["status"]

    status = status_code

    @property
    def ok(self):
        return self["ok"]

    is_success = ok

    @property
    def url(self):
        return self["url"]

    @property
    def headers(self):
        return self["headers"]

    @property
    def text(self):
        return self["body"]

    body = text

    @property
    def content(self):
        return self._fill()._bytes

    @property
    def cookies(self):
        return self._fill()._cookies

    def json(self):
        self._fill()
        parsed = super().get("json")
        return json.loads(super().get("body")) if parsed is None else parsed

    @property
    def is_redirect(self):
        return 300 <= self["status"] < 400 and "location" in self["headers"]

    @property
    def is_error(self):
        return self["status"] >= 400

    def raise_for_status(self):
        if self["status"] >= 400:
            raise HTTPStatusError(self)
        return self

    # As a dict, which is empty until it is filled.
    def __getitem__(self, key):
        return dict.__getitem__(self._fill(), key)

    def __contains__(self, key):
        return dict.__contains__(self._fill(), key)

    def __iter__(self):
        return dict.__iter__(self._fill())

    def __len__(self):
        return dict.__len__(self._fill())

    def __bool__(self):
        return True

    def __repr__(self):
        return f"<Response {self['status']} {self['url']}>"

    def get(self, key, default=None):
        return dict.get(self._fill(), key, default)

    def keys(self):
        return dict.keys(self._fill())

    def values(self):
        return dict.values(self._fill())

    def items(self):
        return dict.items(self._fill())


collections.abc.Coroutine.register(Response)


def _looks_like_json(text, headers):
    return "json" in headers.get("content-type", "") or text.lstrip()[:1] in ("{", "[")
