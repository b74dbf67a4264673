"""Requests that share their options."""

from agentos import http

_COMBINED = ("headers", "params")


class Session:
    def __init__(self, base_url=None, **options):
        # `http.client(headers=http.headers(…))`, without the asterisks.
        given = options.get("headers")
        if isinstance(given, dict) and isinstance(given.get("headers"), dict):
            options = {**given, **{name: value for name, value in options.items() if name != "headers"}}
        self._base_url = base_url
        self._options = {name: value for name, value in options.items() if value is not None}
        self.cookies = {}

    @property
    def headers(self):
        return self._options.setdefault("headers", {})

    def request(self, method, url, **options):
        merged = {**self._options, **options}
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
        """What was set, by name: the values are handles."""
        if future.exception() is None:
            self.cookies.update(future.result().get("cookies") or {})

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
