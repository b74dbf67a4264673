"""The pipe to the engine: requests out on 4, answers in on 3. A thread reads, so that any thread and any event loop
can wait."""

import concurrent.futures
import json
import os
import queue
import threading

from agentos import _json
from agentos.errors import CallError

_FROM_ENGINE = 3
_TO_ENGINE = 4

_lock = threading.Lock()
_open = {}
_last = 0
_turns = threading.Semaphore(1)
_jobs = queue.SimpleQueue()


def start():
    threading.Thread(target=_read, daemon=True, name="engine").start()


def next_job(meanwhile):
    """The job; ``meanwhile`` is done where it does not come at once."""
    try:
        return _jobs.get(timeout=0.01)
    except queue.Empty:
        meanwhile()
        return _jobs.get()


def submit(method, params):
    """A future of the answer. Waits here while as many are under way as the engine allows."""
    global _last
    body = f'"method":{_json.encode(method)},"params":{_json.encode(params)}}}'
    answer = concurrent.futures.Future()
    _turns.acquire()
    # Ids go out in order.
    with _lock:
        _last += 1
        _open[_last] = answer
        _write(f'{{"id":{_last},{body}\n')
    return answer


def ask(method, params):
    return submit(method, params).result()


def note(method, params):
    send(_json.encode({"method": method, "params": params}))


def send(frame):
    with _lock:
        _write(frame + "\n")


def _write(text):
    data = memoryview(text.encode("utf-8", "surrogatepass"))
    while data:
        data = data[os.write(_TO_ENGINE, data) :]


def _read():
    parts = []
    while True:
        chunk = os.read(_FROM_ENGINE, 1 << 18)
        if not chunk:
            os._exit(0)  # The engine is gone, and with it whoever wanted an answer.
        lines = chunk.split(b"\n")
        for line in lines[:-1]:
            parts.append(line)
            _receive(json.loads(b"".join(parts)))
            parts = []
        if lines[-1]:
            parts.append(lines[-1])


def _receive(frame):
    if frame.get("method") == "run":
        for _ in range(frame["params"]["openRequests"] - 1):
            _turns.release()
        _jobs.put(frame["params"])
        return
    answer = _open.pop(frame["id"], None)
    if answer is None:
        return
    _turns.release()
    error = frame.get("error")
    if error is None:
        answer.set_result(frame.get("result"))
    else:
        answer.set_exception(CallError(error["message"], error["code"], error.get("hint")))
