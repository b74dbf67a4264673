"""Requests that share their options."""

from urllib.parse import urlsplit

from agentos import http
from agentos._handle import covered

_COMBINED = ("headers", "params")


class Cookie:
    def __init__(self, name, value, domain):
        self.name, self.value, self.domain, self.path = name, value, domain, "/"


class Cookies(dict):
    """What was set, by name. The values are handles."""

    def __init__(self, *args):
        super().__init__(*args)
        self.domain = ""

    @property
    def jar(self):
        return [Cookie(name, value, self.domain) for name, value in self.items()]

    def set(self, name, value, **_):
        self[name] = value

    def get_dict(self):
        return dict(self)


class Session:
    def __init__(self, base_url=None, **options):
        # `http.client(headers=http.headers(…))`, without the asterisks, and with more put into it.
        given = options.get("headers")
        if isinstance(given, dict) and isinstance(given.get("headers"), dict):
            knobs = {name: given[name] for name in ("http2",) if name in given}
            more = {name: value for name, value in given.items() if name not in ("headers", "http2")}
            options = {**knobs, **options, "headers": {**given["headers"], **more}}
        self._base_url = base_url
        self._options = {name: value for name, value in options.items() if value is not None}
        given = self._options.get("cookies")
        self.cookies = Cookies(given if isinstance(given, dict) else {})

    @property
    def headers(self):
        return self._options.setdefault("headers", {})

    def request(self, method, url, **options):
        merged = {"session": True, **self._options, **options}
        for name in _COMBINED:
            if name in self._options and options.get(name) is not None:
                merged[name] = {**self._options[name], **options[name]}
        dresses = [(given.get("headers") or {}).get(http.DRESS) for given in (self._options, options)]
        if all(dresses):
            merged["headers"] = {**merged["headers"], http.DRESS: {**dresses[0], **dresses[1]}}
        if self._base_url is not None and "://" not in url:
            url = self._base_url.rstrip("/") + "/" + url.lstrip("/")
        response = http.request(method, url, **merged)
        response._future.add_done_callback(self._keep)
        return response

    def _keep(self, future):
        if future.exception() is not None:
            return
        answer = future.result()
        self.cookies.domain = urlsplit(answer.get("url") or "").hostname or ""
        self.cookies.update(covered(answer.get("cookies") or {}))

    def get(self, url, **options):
        return self.request("GET", url, **options)

    def post(self, url, **options):
        return self.request("POST", url, **options)

    def put(self, url, **options):
        return self.request("PUT", url, **options)

    def patch(self, url, **options):
        return self.request("PATCH", url, **options)

    def delete(self, url, **options):
        return self.request("DELETE", url, **options)

    def head(self, url, **options):
        return self.request("HEAD", url, **options)

    def close(self):
        pass

    async def aclose(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass
