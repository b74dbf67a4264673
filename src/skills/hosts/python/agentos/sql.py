"""Questions to SQLite files the skill was granted. The engine asks them."""

from agentos._awaitable import awaitable
from agentos._connection import ask
from agentos._json import plain


def query(query, db=None, params=None, attach=None):
    return awaitable(ask("sql", _asked(query, db, params, attach)))


def execute(query, db=None, params=None, attach=None):
    return awaitable(ask("sql", {**_asked(query, db, params, attach), "write": True}))


def _asked(query, db, params, attach):
    optional = {"db": None if db is None else str(db), "params": plain(params), "attach": attach}
    return {"query": query, **{name: value for name, value in optional.items() if value is not None}}
