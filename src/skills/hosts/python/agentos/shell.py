"""Programs the skill was granted. The engine runs them, without a shell."""

from agentos._awaitable import awaitable
from agentos._connection import ask


def run(binary, args=None, *, cwd=None, input=None, timeout=None):
    """``{"exit_code", "stdout", "stderr"}``. The program may also come as a list with its arguments."""
    if isinstance(binary, (list, tuple)):
        binary, args = binary[0], [*binary[1:], *(args or [])]
    optional = {
        "cwd": None if cwd is None else str(cwd),
        "input": input.decode() if isinstance(input, bytes) else input,
        "timeoutMs": None if timeout is None else timeout * 1000,
    }
    asked = {"binary": str(binary), "args": [str(arg) for arg in args or []]}
    result = ask("shell", {**asked, **{name: value for name, value in optional.items() if value is not None}})
    return awaitable({**result, "exit_code": result["status"], "returncode": result["status"]})
