"""Values that are there already and can be awaited all the same, because skills are written both ways."""


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
    """None and booleans cannot be both: they stay what they are."""
    kind = _KINDS.get(type(value))
    return value if kind is None else kind(value)


class Done(AwaitableValue):
    """Nothing, which can be awaited."""

    def __await__(self):
        return None
        yield

    def __bool__(self):
        return False
