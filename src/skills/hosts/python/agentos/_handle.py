"""Stand-ins for a login's values. They can be passed on, in any text; the engine puts the value in on the way out."""

import sys

from agentos.errors import SkillError

PREFIX = "deputy-handle-"
# The library quotes and encodes what is passed on, and a handle has nothing in it to quote.
_LIBRARY = ("urllib", "json", "email", "http.cookies", "agentos", "re", "logging")


class NeedsExpose(SkillError):
    """The skill computes with its login, which it was not shown."""

    code = "NEEDS_EXPOSE"

    def __init__(self, what):
        super().__init__(f"the skill computes with its login ({what}), and was given a stand-in to pass on")


class Handle(str):
    """What is done to it would be done to the stand-in: better an error than a wrong answer."""

    __slots__ = ()

    def strip(self, *_):
        return self

    lstrip = rstrip = strip


def _closed(name):
    plain = getattr(str, name)

    def method(self, *args, **options):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.split(".")[0] in _LIBRARY or caller in _LIBRARY:
            return plain(self, *args, **options)
        raise NeedsExpose(name.strip("_"))

    method.__name__ = name
    return method


for _name in (
    "encode split rsplit splitlines partition rpartition find rfind index rindex replace translate lower upper "
    "casefold removeprefix removesuffix count __getitem__ __iter__ __contains__"
).split():
    if hasattr(str, _name):
        setattr(Handle, _name, _closed(_name))


class Named(dict):
    """Some write ``auth["key"]``, some ``auth.key``."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)


def covered(value):
    """The same value with every handle in it known as one."""
    if isinstance(value, str):
        return Handle(value) if value.startswith(PREFIX) else value
    if isinstance(value, dict):
        return {key: covered(of) for key, of in value.items()}
    if isinstance(value, list):
        return [covered(of) for of in value]
    return value


def guard_digests():
    """A signature over a stand-in is valid nowhere."""
    import functools
    import hashlib
    import hmac

    mark = PREFIX.encode()

    def checked(function, name):
        @functools.wraps(function)
        def digest(*args, **options):
            for given in (*args, *options.values()):
                if isinstance(given, (bytes, bytearray)) and mark in given:
                    raise NeedsExpose(name)
            return function(*args, **options)

        return digest

    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512"):
        setattr(hashlib, name, checked(getattr(hashlib, name), name))
    hmac.new, hmac.digest = checked(hmac.new, "hmac"), checked(hmac.digest, "hmac")
