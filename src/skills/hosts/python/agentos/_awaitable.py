"""Values that are there already and can be awaited all the same, because skills are written both ways."""

import sys


class AwaitableValue:
    def __await__(self):
        return self
        yield


# asyncio.gather keeps what it waits for in a dict.
class AwaitableDict(dict, AwaitableValue):
    __hash__ = object.__hash__


class AwaitableList(list, AwaitableValue):
    __hash__ = object.__hash__


class AwaitableText(str, AwaitableValue):
    pass


class AwaitableBytes(bytes, AwaitableValue):
    pass


class AwaitableInt(int, AwaitableValue):
    pass


class AwaitableFloat(float, AwaitableValue):
    pass


_KINDS = {
    dict: AwaitableDict,
    list: AwaitableList,
    str: AwaitableText,
    bytes: AwaitableBytes,
    int: AwaitableInt,
    float: AwaitableFloat,
}


def awaitable(value):
    """None and booleans cannot be subclassed: outside an event loop, where nobody awaits, they stay what they are."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind(value)
    return Settled(value) if in_event_loop() else value


class Settled(AwaitableValue):
    """None, True or False, and can be awaited."""

    def __init__(self, value=None):
        self.value = value

    def __await__(self):
        return self.value
        yield

    def __bool__(self):
        return bool(self.value)

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Settled) else other)

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return repr(self.value)


def in_event_loop():
    # Where nobody has imported it, none is running.
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio is not None and asyncio.get_running_loop() is not None
    except RuntimeError:
        return False
