"""How far a long operation is."""

from agentos._awaitable import Settled
from agentos._callable_module import make_callable
from agentos._connection import note


def progress(current=None, total=None, message=None):
    if isinstance(current, str):
        current, message = None, current
    step = {"current": current, "total": total, "message": message or None}
    note("progress", {name: value for name, value in step.items() if value is not None})
    return Settled()


def set_job_id(job_id=None):
    """The engine knows whose progress it is."""


report = progress
make_callable(__name__, progress)
