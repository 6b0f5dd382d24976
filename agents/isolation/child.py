"""What a forked child does: bind itself to its parent, take its limits, run one tool, hand the result back, end."""

import contextlib
import ctypes
import faulthandler
import importlib
import json
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Collection, Mapping
from pathlib import Path
from socket import socket
from typing import Any, NoReturn

from agents.content import dumps, plain
from agents.errors import ToolError
from agents.isolation.frames import Frame, packed, receive
from agents.isolation.memory import MEMORY_EXIT, is_memory
from agents.tools.calling import called, carried_out
from agents.tools.function import Ask, Tool, ToolResult
from orchestrator.ports.clock import Deadline

_PR_SET_PDEATHSIG = 1
_MOST_LATE = 100
_GRACE = 0.5
"""Seconds after its deadline at which a child ends itself, should nobody have ended it."""


def live(channel: socket, output: int, forker: int) -> NoReturn:
    """The whole life of a child; never returns."""
    code = 1
    try:
        _bind(forker)
        _redirect(output)
        code = _work(channel)
    except Exception as error:  # noqa: BLE001  # the worker reads it from how this process ends, and from its output
        code = MEMORY_EXIT if is_memory(error) else 1
        with contextlib.suppress(Exception):
            traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _work(channel: socket) -> int:
    job = receive(channel)
    sys.path[:] = job.header["path"]
    deadline = Deadline(job.header["deadline"])
    _limit(job.header["memory"], deadline)
    try:
        frame = _result(job, _Context(channel, deadline, job.header["key"]))
    except ToolError as error:
        frame = _memory_frame() if is_memory(error) else _error_frame(error)
    except MemoryError:
        frame = _memory_frame()
    channel.sendall(packed(frame))
    return 0


def _result(job: Frame, context: "_Context") -> Frame:
    tool = _tool(job.header["address"])
    for module in job.header["imports"]:
        with contextlib.suppress(Exception):  # if the tool needs it, the tool will say what is wrong
            importlib.import_module(module)
    threads, before = _threads(), set(sys.modules)
    result = called(tool, tool.arguments.model_validate_json(job.body), context)
    notes = {"threads": threads, "late": _roots(set(sys.modules) - before)}
    if isinstance(result, Ask):
        return Frame({"kind": "asked", "draft": result.draft.model_dump(mode="json"), **notes})
    try:
        return _result_frame(result, notes)
    except ToolError as error:
        if tool.effect == "read":
            raise
        return _result_frame(carried_out(tool, error, str(result.summary)), notes)


def _result_frame(result: ToolResult, notes: Mapping[str, Any]) -> Frame:
    data = dumps(plain(result.data)).encode()
    shown = b"" if result.shown is None else dumps(plain(result.shown, "shown")).encode()
    files = [(str(name), bytes(content)) for name, content in result.artifacts.items()]
    header = {
        "kind": "result",
        "summary": plain(result.summary, "summary"),
        "empty": result.empty,
        "sizes": [len(data), len(shown)],
        "files": [[name, len(content)] for name, content in files],
        **notes,
    }
    return Frame(header, b"".join((data, shown, *(content for _, content in files))))


def _error_frame(error: ToolError) -> Frame:
    header = {"kind": "error", "code": error.code, "what": error.what, "retryable": error.retryable, "hint": error.mend}
    return Frame(header)


def _memory_frame() -> Frame:
    return Frame({"kind": "out_of_memory"})


def _tool(address: str) -> Tool:
    module, _, name = address.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as error:
        what = f"the tool's module `{module}` cannot be imported in a child process: {error}"
        raise ToolError(
            "tool_failed", what, hint="The tool has to be mended by its author; go on without it."
        ) from None
    assert isinstance(found, Tool)
    return found


class _Context:
    """The tool's context; what only the worker knows is asked over the channel."""

    def __init__(self, channel: socket, deadline: Deadline, key: str) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.deadline = deadline
        self.idempotency_key = key

    def input(self, name: str) -> Path:
        return Path(self._asked("input", name))

    def input_names(self) -> Mapping[str, str]:
        return self._asked("input_names")

    def observed(self, ref: str) -> Any:
        return self._asked("observed", ref)

    def files(self) -> Mapping[str, int]:
        return self._asked("files")

    def file(self, name: str) -> Path:
        return Path(self._asked("file", name))

    def setting(self, name: str) -> str | None:
        return self._asked("setting", name)

    def _asked(self, what: str, *names: str) -> Any:
        with self._lock:
            self._channel.sendall(packed(Frame({"kind": "ask", "what": what, "names": names})))
            answer = receive(self._channel)
        if answer.kind == "error":
            header = answer.header
            raise ToolError(header["code"], header["what"], retryable=header["retryable"], hint=header["hint"])
        return json.loads(answer.body)


def _bind(forker: int) -> None:
    """Die with the process that forked this one; lead a group of one's own, so that all of it can be ended."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != forker:
        os._exit(1)


def _redirect(output: int) -> None:
    """What the tool prints goes to the worker's log, never into the worker's own output."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(nothing)
    os.close(output)
    faulthandler.enable()


def _limit(memory: int, deadline: Deadline) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS knows the limit but takes none
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, deadline.left() + _GRACE)


def _roots(modules: Collection[str]) -> list[str]:
    """Of modules that a call imported late, those worth importing before the next one: packages, and our own."""
    worth = {name if name.startswith("agents.") else name.partition(".")[0] for name in modules}
    return sorted(name for name in worth if name in modules and not name.startswith("_"))[:_MOST_LATE]


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208  # pathlib would build a path for each
    except OSError:
        return threading.active_count()
