"""What the engine said of this run."""

_context = {"auth": {}, "params": {}, "connection": None}


def set(context):
    _context.update(context)


def auth():
    return _context["auth"] or {}


def get(name):
    return _context.get(name)
