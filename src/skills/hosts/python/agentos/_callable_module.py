"""Modules that skills also call, as in ``progress(1, 3)`` beside ``progress.progress(1, 3)``."""

import sys
import types


def make_callable(name, function):
    class Callable(types.ModuleType):
        def __call__(self, *args, **options):
            return function(*args, **options)

    sys.modules[name].__class__ = Callable
