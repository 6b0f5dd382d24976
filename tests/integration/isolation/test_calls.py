"""Calls in a child: the same results, questions and errors as in the worker itself."""

import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agents.errors import ToolError
from agents.isolation import Isolation
from agents.tools.function import Ask, ToolResult
from orchestrator.ports.clock import Deadline

Run = Callable[..., Any]


def error_of(run: Run, name: str, /, **arguments: Any) -> ToolError:
    """The error of a call."""
    with pytest.raises(ToolError) as caught:
        run(name, **arguments)
    return caught.value


def test_a_result_comes_back_whole(run: Run) -> None:
    """Exact decimals, dates, what is shown, files byte by byte; and it was another process."""
    result = run("add", a="0.10", b="0.2")
    assert result.data.pop("pid") != os.getpid()
    files = {"sum.bin": bytes(range(256)) * 1000}
    assert result == ToolResult("sum", {"sum": "0.30", "day": "2026-01-02"}, {"sum": "0.30"}, files, empty=True)


def test_a_tool_sees_the_run_through_the_worker(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """Inputs and observations are asked of the worker; what the tool prints goes to its log."""
    with caplog.at_level(logging.INFO):
        result = run("look")
    assert result.data[:4] == [
        "/inputs/left.csv",
        {"left": "Ledger – März.csv"},
        {"rows": [1, "上海", None]},
        "r/s#1.c1.0",
    ]
    assert "looking" in caplog.text


def test_a_tool_sees_what_other_tools_made_and_what_is_set_for_tools(run: Run) -> None:
    """Files of the run with their sizes and places; a setting that is not set is none."""
    assert run("look.further").data == [{"E1.1/report.md": 12}, "/blobs/E1.1/report.md", "blau", None]


def test_what_the_worker_does_not_have_is_an_error_inside_the_tool(run: Run) -> None:
    """The tool can catch it: code, message and hint are as the worker raised them."""
    assert run("miss").data == ["unknown_input", "the goal has no input `middle`", "It has: left.", False]


def test_a_store_that_is_away_is_worth_a_retry(run: Run) -> None:
    """An outside failure on the worker's side passes through the tool as such."""
    error = error_of(run, "away")
    assert (error.code, error.retryable, error.what) == ("outside", True, "the database did not answer")


def test_a_tool_in_a_child_may_ask_a_person(run: Run) -> None:
    """The question comes back as a draft."""
    asked = run("ask")
    assert isinstance(asked, Ask)
    assert asked.draft.question == "Which one?"


def test_what_a_tool_raises_is_told(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """Kind and message for the agent; the traceback in the worker's log."""
    with caplog.at_level(logging.INFO):
        error = error_of(run, "raise")
    assert (error.code, error.what) == ("tool_failed", "raise failed: ValueError: no column «Betrag»")
    assert "raise ValueError" in caplog.text


def test_a_tool_error_keeps_its_words(run: Run) -> None:
    """Code, message, hint, retryable."""
    error = error_of(run, "refuse")
    told = (error.code, error.what, error.mend, error.retryable)
    assert told == ("no_such_row", "row 7 does not exist", "Take 1 to 6.", True)


def test_nan_is_refused_in_the_child(run: Run) -> None:
    """With its path."""
    assert "`data.rows[0]` is nan" in error_of(run, "nan").what


def test_nothing_is_left_behind_for_the_next_call(run: Run) -> None:
    """Each call begins with the module as it was imported."""
    assert [run("remember").data for _ in range(3)] == [1, 1, 1]


def test_signals_are_as_in_a_fresh_process(run: Run) -> None:
    """A tool's own subprocesses can be ended as usual."""
    assert run("signals").data == {"SIGINT": True, "SIGTERM": True, "SIGHUP": True, "SIGCHLD": True}


def test_learns_what_a_tool_imports_late(run: Run) -> None:
    """The third call finds imported what the first imported late, and there is still but one thread."""
    assert [run("thread.count").data for _ in range(4)] == [{"late": True, "threads": 1}] * 4


def test_many_threads_call_at_once(run: Run) -> None:
    """Each gets its own answer, and no connection is left open."""
    run("add", a="1", b="1")
    before = len(list(Path("/proc/self/fd").iterdir()))
    with ThreadPoolExecutor(16) as pool:
        results = [one.result() for one in [pool.submit(run, "add", a=str(number), b="0.5") for number in range(100)]]
    assert [one.data["sum"] for one in results] == [f"{number}.5" for number in range(100)]
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_no_more_children_than_there_may_be(
    tools: ModuleType, tmp_path: Path, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """Whoever finds all places taken until its deadline is told so, and may try again."""
    isolation = Isolation(most=1)
    sign = tmp_path / "go"
    try:
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(_run, isolation, tools.hold, 20.0, sign=str(sign))
            eventually(sign.with_suffix(".held").exists)
            with pytest.raises(ToolError) as caught:
                _run(isolation, tools.add, 0.2, a="1", b="2")
            sign.touch()
            assert held.result().summary == "held"
        assert (caught.value.code, caught.value.retryable) == ("busy", True)
        assert _run(isolation, tools.add, 20.0, a="1", b="2").data["sum"] == "3"
    finally:
        isolation.close()


def test_after_closing_nothing_is_started(tools: ModuleType) -> None:
    """A worker that stops starts no child; the call may be made again elsewhere."""
    isolation = Isolation()
    isolation.close()
    with pytest.raises(ToolError) as caught:
        _run(isolation, tools.add, 5.0, a="1", b="2")
    assert (caught.value.code, caught.value.retryable) == ("busy", True)


def _run(isolation: Isolation, tool: Any, within: float, /, **arguments: Any) -> Any:
    class Context:
        deadline = Deadline.after(within)
        idempotency_key = "key"

    return isolation.run(tool, tool.arguments(**arguments), Context(), Context.deadline)  # type: ignore[arg-type]
