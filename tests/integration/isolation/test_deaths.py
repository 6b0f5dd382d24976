"""Children that die or have to: every way is told apart, and nothing survives its worker."""

import logging
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import psutil
import pytest

from agents.errors import ToolError
from agents.isolation import Isolation
from agents.tools.local_context import LocalContext
from orchestrator.ports.clock import Deadline

Run = Callable[..., Any]
Eventually = Callable[[Callable[[], bool]], None]


def error_of(run: Run, name: str, /, **arguments: Any) -> ToolError:
    """The error of a call."""
    with pytest.raises(ToolError) as caught:
        run(name, **arguments)
    return caught.value


def processes(mark: str) -> list[psutil.Process]:
    """Running processes with a word on their command line."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if mark in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("name", ["hog", "hog.native", "hog.duckdb"])
def test_a_tool_that_runs_out_of_memory_says_so(run: Run, name: str) -> None:
    """In Python, in native code that crashes over it, in DuckDB: the same code, and a hint what to ask instead."""
    error = error_of(run, name)
    assert error.code == "out_of_memory"
    assert error.what == f"{name} needed more memory than it may use (400 MiB) and was stopped"
    assert not error.retryable
    assert "Ask for less at once" in str(error.mend)
    assert run("add", a="1", b="2").data["sum"] == "3"


def test_a_crash_is_told_with_its_signal(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """The agent reads how the process ended; the log has what it printed and where it was."""
    with caplog.at_level(logging.INFO):
        error = error_of(run, "segfault")
    assert (error.code, error.what) == ("tool_crashed", "segfault crashed: its process was ended by SIGSEGV")
    assert "about to crash" in caplog.text
    assert "Fatal Python error: Segmentation fault" in caplog.text


@pytest.mark.parametrize("code", [0, 3])
def test_a_tool_that_ends_its_process_has_crashed(run: Run, code: int) -> None:
    """Also with exit code 0: there was no result."""
    error = error_of(run, "leave", code=code)
    assert (error.code, error.what) == (
        "tool_crashed",
        f"leave crashed: its process ended itself with exit code {code}",
    )


def test_a_tool_is_ended_at_its_deadline_with_all_it_started(run: Run, eventually: Eventually) -> None:
    """Deaf to SIGTERM, with a subprocess of its own: both are gone, just after the deadline."""
    mark = f"mark-{uuid4()}"
    started = time.monotonic()
    error = error_of(run, "sleep", name=mark)
    assert error.code == "timeout"
    # Under load a part of the 0.4 s is gone before the process is there.
    assert re.fullmatch(
        r"sleep took longer than the 0\.\d s that it had \(at most 0\.4 s\) and was stopped", error.what
    )
    assert time.monotonic() - started < 50
    eventually(lambda: processes(mark) == [])


def test_a_tool_that_had_less_time_than_it_may_take(tools: ModuleType, isolation: Isolation) -> None:
    """The time that it had is told, beside its own."""
    deadline = Deadline.after(0.3)
    with pytest.raises(ToolError) as caught:
        arguments = tools.mark.arguments(name=f"mark-{uuid4()}", seconds=60)
        isolation.run(tools.mark, arguments, LocalContext(deadline=deadline), deadline)
    had = r"the 0\.[0-3] s that it had \(at most 30 s\)"
    assert re.fullmatch(rf"mark took longer than {had} and was stopped", caught.value.what)


def test_a_tool_is_ended_when_nobody_wants_its_result(run: Run, eventually: Eventually) -> None:
    """Long before its deadline: its subtask was taken away, or its run cancelled."""
    mark, stop = f"mark-{uuid4()}", threading.Event()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(run, "mark", stop.is_set, name=mark, seconds=60)
        eventually(lambda: len(processes(mark)) == 1)
        stop.set()
        error = call.exception(timeout=50)
    assert isinstance(error, ToolError)
    assert (error.code, error.what) == ("stopped", "mark was stopped: nobody waits for its result any more")
    eventually(lambda: processes(mark) == [])


@pytest.mark.parametrize("name", ["spin", "chat"])
def test_neither_a_held_lock_nor_endless_output_delays_the_deadline(run: Run, name: str) -> None:
    """Native code that never lets go of the GIL, and a tool that prints for ever, end like any other."""
    started = time.monotonic()
    assert error_of(run, name).code == "timeout"
    assert time.monotonic() - started < 50


def test_a_child_that_is_killed_from_outside_ends_its_call(run: Run, eventually: Eventually) -> None:
    """A killed child is a crash; the worker and its other calls go on."""
    mark = f"mark-{uuid4()}"
    with ThreadPoolExecutor(2) as pool:
        call = pool.submit(error_of, run, "mark", seconds=60, name=mark)
        other = pool.submit(run, "mark", seconds=0.3, name="other")
        eventually(lambda: len(processes(mark)) == 1)
        child = processes(mark)[0].parent()
        assert child is not None
        child.kill()
        assert call.result(10).what == "mark crashed: its process was ended by SIGKILL"
        assert other.result(10).summary == "other"
    eventually(lambda: processes(mark) == [])


def test_when_the_forker_is_killed_the_next_call_has_another(run: Run, eventually: Eventually) -> None:
    """The call in hand ends with its child, and may be made again; the next one works at once."""
    mark = f"mark-{uuid4()}"
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(error_of, run, "mark", seconds=60, name=mark)
        eventually(lambda: len(processes(mark)) == 1)
        child = processes(mark)[0].parent()
        assert child is not None
        forker = child.parent()
        assert forker is not None
        assert forker.pid != os.getpid()
        forker.kill()
        error = call.result(10)
    assert (error.code, error.retryable) == ("tool_crashed", True)
    assert "the process that starts tools ended" in error.what
    assert run("add", a="1", b="2").data["sum"] == "3"
    eventually(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


WORKER = """
import sys
from pathlib import Path
from threading import Thread
sys.path.insert(0, {folder!r})
import heavy_tools_for_tests as tools
from agents.isolation import Isolation
from orchestrator.ports.clock import Deadline

class Context:
    deadline = Deadline.after(300)
    idempotency_key = "key"

isolation = Isolation()
def run(tool, **arguments):
    isolation.run(tool, tool.arguments(**arguments), Context(), Context.deadline)
names = sys.argv[1].split()
threads = [Thread(target=run, args=(tools.mark,), kwargs={{"seconds": 300, "name": name}}) for name in names]
for thread in threads:
    thread.start()
print("started", flush=True)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_worker(tools: ModuleType, eventually: Eventually, end: signal.Signals) -> None:
    """`kill -9` of a worker with two tools running: forker, children and their own subprocesses are gone."""
    marks = [f"mark-{uuid4()}", f"mark-{uuid4()}"]
    source = textwrap.dedent(WORKER).format(folder=str(Path(str(tools.__file__)).parent))
    root = Path(__file__).parents[3]
    worker = subprocess.Popen([sys.executable, "-c", source, " ".join(marks)], cwd=root, stdout=subprocess.PIPE)
    try:
        eventually(lambda: all(len(processes(mark)) == 1 for mark in marks))
        family = psutil.Process(worker.pid).children(recursive=True)
        assert len(family) >= 5
    finally:
        worker.send_signal(end)
        worker.communicate(timeout=60)
    eventually(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in family))
