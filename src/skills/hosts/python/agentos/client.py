"""The verbs of ``agentos.http`` under their newer name; called, a client with options of its own."""

from agentos._callable_module import make_callable
from agentos.http import client as _client
from agentos.http import delete, get, head, headers, patch, post, put, request  # noqa: F401

make_callable(__name__, _client)
