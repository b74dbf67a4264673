"""What a Python host starts as: it loads what it can before it knows its skill, says so, and runs one function.

Nothing in here guards anything: skill code in the same process can change it all. The guard is that the process has
nothing, and that the engine believes none of its messages.
"""

import collections.abc
import importlib.util
import inspect
import os
import re
import sys
import types

# Isolated mode leaves this file's folder out.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import agentos  # noqa: E402
from agentos import _connection as connection  # noqa: E402
from agentos import _context, _handle, _json  # noqa: E402
from agentos._awaitable import AwaitableValue, awaitable  # noqa: E402

PACKAGE = "_skill"


def load(folder, path):
    """The module, as a part of the skill's folder: siblings can be imported by name and relatively."""
    stem = re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])
    own = os.path.dirname(os.path.join(folder, path))
    sys.path[:0] = [own] if own == folder else [own, folder]
    package = types.ModuleType(PACKAGE)
    package.__path__ = [own]
    sys.modules[PACKAGE] = package
    name = f"{PACKAGE}.{stem}"
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.modules.setdefault(stem, module)
    spec.loader.exec_module(module)
    return module


def arguments(function, call, context):
    """Positional and keyword arguments: what the manifest says, and what the signature asks for besides."""
    given = dict(context["args"])
    # Some read their parameters from within, some beside the login.
    whole = {**context["params"], **{key: context[key] for key in ("params", "auth", "connection")}}
    parameters = inspect.signature(function).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    takes_any = inspect.Parameter.VAR_KEYWORD in kinds
    named = {
        name
        for name, parameter in parameters.items()
        if parameter.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    }
    extra = {"_call": lambda operation, params=None: call(operation, params), "auth": whole["auth"]}
    if context["connection"] is not None:
        extra["connection"] = context["connection"]
    if "params" in named:
        extra["params"] = whole
    if context["call"] == "params":
        first = next((name for name in parameters if name in named and name not in extra), None)
        if "params" not in named and first is not None:
            return [given], {name: value for name, value in extra.items() if name in named}
        given = {"params": given} if "params" in named else given
    for name, value in extra.items():
        if name not in given and (name in named or (takes_any and name != "params")):
            given[name] = value
    return [], given


def call_sibling(operation, params=None):
    return awaitable(connection.ask("call", {"operation": operation, "params": _json.plain(params or {})}))


async def settle(value):
    """What a function returned, once it is there."""
    if inspect.isasyncgen(value):
        return [item async for item in value]
    return await value


def run(job):
    folder, path = job["folder"], job["module"]
    context = _handle.covered({**job["context"], "call": job["call"]})
    for key in ("auth", "connection"):
        context[key] = None if context[key] is None else _handle.Named(context[key])
    _handle.guard_digests()
    _context.set(context)
    module = load(folder, path)
    function = getattr(module, job["function"], None)
    if not callable(function):
        raise AttributeError(f"{path} has no function named {job['function']}")
    positional, keywords = arguments(function, call_sibling, context)
    value = function(*positional, **keywords)
    is_ours = isinstance(value, (AwaitableValue, agentos.http.Response))
    if inspect.isasyncgen(value) or (isinstance(value, collections.abc.Awaitable) and not is_ours):
        import asyncio

        value = asyncio.run(settle(value))
    if inspect.isgenerator(value):
        value = list(value)
    return _json.encode(value)


def describe(error, folder):
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(folder + "/"):
            frames.append(f"{code.co_name} ({code.co_filename[len(folder) + 1:]}:{trace.tb_lineno})")
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and str(error.filename).startswith(folder + "/"):
        frames.append(f"{error.filename[len(folder) + 1:]}:{error.lineno}")
    said = {"name": type(error).__name__, "message": str(error).replace(folder + "/", "")}
    code = getattr(error, "code", None)
    if isinstance(code, str):
        said["code"] = code
    if frames:
        # As in every other language here, the innermost comes first.
        said["stack"] = "\n".join(reversed(frames))
    return said


def preload():
    """What many skills need, while there is no job yet: a cold start would pay for it and perhaps not use it."""
    import asyncio, base64, datetime, hashlib, hmac, html, itertools, urllib.parse  # noqa: E401, F401

    asyncio.run(asyncio.sleep(0))


def main():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="replace")
    connection.start()
    connection.note("ready", {})
    job = connection.next_job(preload)
    try:
        answer = '"result":' + run(job)
    except BaseException as error:  # noqa: BLE001 -- sys.exit() and a KeyboardInterrupt are outcomes too
        answer = '"error":' + _json.encode(describe(error, job["folder"]))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    connection.send('{"id":0,' + answer + "}")
    # Threads the skill left behind do not keep it.
    os._exit(0)


main()
