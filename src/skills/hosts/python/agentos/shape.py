"""Shapes as types for annotations: any name is a dict."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return dict
