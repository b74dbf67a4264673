"""What skills declare about their functions. The engine has read it from the syntax tree before any code ran; here it
only keeps what was said, as ``function.__agentos__``."""


def _keep(function, name, value):
    declared = getattr(function, "__agentos__", None)
    if declared is None:
        declared = {}
        try:
            function.__agentos__ = declared
        except (AttributeError, TypeError):
            return function
    declared[name] = value
    return function


class _Declaration:
    """Works as ``@name``, as ``@name(…)``, and as a statement of its own."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *args, **options):
        if len(args) == 1 and not options and callable(args[0]):
            return _keep(args[0], self._name, True)
        value = args[0] if len(args) == 1 and not options else {"args": list(args), **options}
        return lambda function: _keep(function, self._name, value)

    def __getattr__(self, variant):
        if variant.startswith("__"):
            raise AttributeError(variant)
        return _Declaration(f"{self._name}.{variant}")


connection = _Declaration("connection")
returns = _Declaration("returns")
timeout = _Declaration("timeout")
provides = _Declaration("provides")
claims = _Declaration("claims")
test = _Declaration("test")
account = _Declaration("account")
