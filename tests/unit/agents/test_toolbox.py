"""One tool call: whatever happens, the agent gets an observation that says what is so and what to do."""

import json
import logging
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from agents import content
from agents.errors import ToolError
from agents.isolation import Isolation
from agents.toolbox import Asked, Observed, Toolbox, Uncertain
from agents.tools.builtin.escalate import escalate
from agents.tools.builtin.evidence import read
from agents.tools.function import Ask, Effect, Tool, ToolContext, ToolResult, tool
from agents.trimming import parse_shown
from orchestrator.domain.step import StepCall
from orchestrator.errors import FencedError, StoreError, TeamError
from orchestrator.ports.clock import Deadline


@dataclass(frozen=True)
class Known:
    """The evidence of a run with one input and one observation."""

    data: Mapping[str, Any] = field(default_factory=lambda: {"E1.1": {"rows": [1, 2]}})

    def input(self, name: str) -> Path:
        """The input `left`."""
        if name != "left":
            raise ToolError("unknown_input", f"the goal has no input `{name}`", hint="It has: left.")
        return Path("/inputs/left.csv")

    def input_names(self) -> Mapping[str, str]:
        """One name."""
        return {"left": "left.csv"}

    def observed(self, ref: str) -> Any:
        """The observation's data."""
        if ref not in self.data:
            raise ToolError("unknown_evidence", f"there is no observation `{ref}`")
        return self.data[ref]

    def files(self) -> Mapping[str, int]:
        """No tool made a file."""
        return {}

    def file(self, name: str) -> Path:
        """None."""
        raise ToolError("unknown_file", name)

    def setting(self, name: str) -> str | None:
        """Nothing is set."""
        del name
        return None


@pytest.fixture
def isolation() -> Generator[Isolation]:
    """Children, of which these tests start none."""
    made = Isolation()
    yield made
    made.close()


@pytest.fixture
def call(isolation: Isolation) -> Callable[..., Observed]:
    """Run one call of one tool."""

    def run(one: Tool, deadline: float = 30.0, tool_name: str | None = None, /, **arguments: Any) -> Observed:
        asked = StepCall(id="c3.1", tool=tool_name or one.name, arguments=arguments)
        done = Toolbox([one], Known(), isolation).run(asked, "E4.2", Deadline.after(deadline), "r/s#3.c3.1")
        assert isinstance(done, Observed)
        return done

    return run


def returning(result: Callable[[], Any], effect: Effect = "read") -> Tool:
    """A tool that does one thing."""

    @tool("do.it", effect=effect, use_when="always", not_when="never")
    def do() -> ToolResult:
        """Do it."""
        return result()

    return do


def failing(error: BaseException, effect: Effect = "read") -> Tool:
    """A tool that raises."""

    def fail() -> ToolResult:
        raise error

    return returning(fail, effect)


def error_of(observed: Observed) -> dict[str, Any]:
    """The error of an observation, which is the same in the store and before the agent."""
    stored = json.loads(observed.content)
    assert not observed.ok
    assert stored["ok"] is False
    assert parse_shown(observed.shown)["error"] == stored["error"]
    return stored["error"]


def test_answers_with_the_whole_for_the_store_and_a_part_for_the_agent(call: Callable[..., Observed]) -> None:
    """The store gets everything, exactly; the agent the summary, what fits, and the number to read more by."""
    rows = [{"amount": Decimal("10.50"), "party": "上海"} for _ in range(400)]
    done = call(returning(lambda: ToolResult("400 rows", {"rows": rows}, artifacts={"rows.csv": b"a"})))
    assert (done.call_id, done.ref, done.tool, done.ok, done.summary) == ("c3.1", "E4.2", "do.it", True, "400 rows")
    assert json.loads(done.content)["data"]["rows"] == [{"amount": "10.50", "party": "上海"}] * 400
    shown = parse_shown(done.shown)
    assert len(done.shown) <= 2_000
    assert 20 < len(shown["data"]["rows"]) < 100
    assert shown["artifacts"] == ["E4.2/rows.csv"]
    assert "上海" in done.shown
    assert done.artifacts == {"rows.csv": b"a"}


def test_a_tool_sees_the_run_and_its_limits(call: Callable[..., Observed]) -> None:
    """Inputs, observations, the key of this call and the time left, at most the tool's own."""

    @tool("look", effect="read", use_when="always", not_when="never", seconds=7)
    def look(context: ToolContext) -> ToolResult:
        """Look."""
        seen = [str(context.input("left")), dict(context.input_names()), context.observed("E1.1")]
        return ToolResult("seen", [*seen, context.idempotency_key, context.deadline.left() <= 7])

    data = json.loads(call(look).content)["data"]
    assert data == ["/inputs/left.csv", {"left": "left.csv"}, {"rows": [1, 2]}, "r/s#3.c3.1", True]


def test_a_question_for_a_person_is_no_observation(isolation: Isolation) -> None:
    """A tool that asks gives its draft to the loop."""
    asked = StepCall(id="c1.0", tool="escalate", arguments={"question": "Which one?", "evidence": ["E1.1"]})
    done = Toolbox([escalate], Known(), isolation).run(asked, "E4.2", Deadline.after(5), "key")
    assert isinstance(done, Asked)
    assert (done.call_id, done.draft.question, done.draft.evidence) == ("c1.0", "Which one?", ("E1.1",))


def test_an_unknown_tool_is_answered_with_the_known_ones(isolation: Isolation) -> None:
    """The names that exist, nearest first; and it has no effect."""
    box = Toolbox([escalate, read, returning(lambda: ToolResult("x"))], Known(), isolation)
    asked = StepCall(id="c1.0", tool="evidence_reader", arguments={})
    done = box.run(asked, "E4.2", Deadline.after(5), "key")
    assert isinstance(done, Observed)
    error = error_of(done)
    assert error["code"] == "unknown_tool"
    assert error["message"] == "there is no tool `evidence_reader`"
    assert error["hint"] == "You have: evidence.read, escalate, do.it."
    assert box.effect(asked) is None


def test_an_agent_without_tools_is_told_to_answer(isolation: Isolation) -> None:
    """There is nothing to choose from, and that is said."""
    done = Toolbox([], Known(), isolation).run(
        StepCall(id="c1.0", tool="x", arguments={}), "E1.1", Deadline.after(5), "k"
    )
    assert isinstance(done, Observed)
    assert error_of(done)["hint"] == "You have no tools: answer with what is known."


def test_says_what_a_call_does_and_how_long_it_may_take(isolation: Isolation) -> None:
    """Effect, time and description come from the tool's declaration."""
    box = Toolbox([returning(lambda: ToolResult("x"), "keyed")], Known(), isolation)
    asked = StepCall(id="c1.0", tool="do.it")
    assert (box.effect(asked), box.seconds(asked)) == ("keyed", 30.0)
    (spec,) = box.specs()
    assert spec.name == "do.it"
    assert spec.description == "Do it. Use it when always. Do not use it when never."
    assert spec.parameters["properties"] == {}


def test_two_tools_of_one_name_are_refused(isolation: Isolation) -> None:
    """A call could not tell them apart."""
    with pytest.raises(TeamError, match=r"two tools are called `do\.it`"):
        Toolbox([returning(lambda: ToolResult("a")), returning(lambda: ToolResult("b"))], Known(), isolation)


def test_wrong_arguments_do_not_reach_the_tool(call: Callable[..., Observed]) -> None:
    """The tool is not called, and the observation says how to mend the call."""
    calls: list[int] = []

    @tool("count", effect="read", use_when="always", not_when="never")
    def count(n: Annotated[int, Field(description="How many")]) -> ToolResult:
        """Count."""
        calls.append(n)
        return ToolResult("counted")

    error = error_of(call(count, 30.0, n="many"))
    assert error["code"] == "invalid_arguments"
    assert "Wanted: a whole number (How many)" in error["message"]
    assert calls == []


def test_what_a_tool_raises_is_told_without_a_traceback(
    call: Callable[..., Observed], caplog: pytest.LogCaptureFixture
) -> None:
    """Kind and message for the agent, the traceback for the log."""
    with caplog.at_level(logging.WARNING):
        done = call(failing(KeyError("amount")))
    error = error_of(done)
    assert error["code"] == "tool_failed"
    assert error["message"] == "do.it failed: KeyError: 'amount'"
    assert "Traceback" not in done.shown
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("error", [SystemExit(3), RecursionError("too deep"), MemoryError()])
def test_nothing_that_a_tool_raises_gets_through(call: Callable[..., Observed], error: BaseException) -> None:
    """A tool that exits or overflows ends its call, not the worker."""
    assert error_of(call(failing(error)))["code"] in {"tool_failed", "out_of_memory"}


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError("reset"), "do.it failed: OSError: reset"),
        (StoreError("gone"), "gone"),
        (ToolError("timeout", "no answer in time"), "no answer in time"),
        (MemoryError(), "do.it needed more memory than there is and was stopped"),
    ],
)
def test_an_effect_that_went_wrong_is_uncertain(isolation: Isolation, error: Exception, why: str) -> None:
    """Nobody knows whether it took effect: no observation yet, which the agent might take for a failure."""
    box = Toolbox([failing(error, "unsafe")], Known(), isolation)
    assert box.run(StepCall(id="c1.0", tool="do.it"), "E4.2", Deadline.after(5), "key") == Uncertain("c1.0", why)


def test_an_effect_that_the_tool_refused_did_not_happen(call: Callable[..., Observed]) -> None:
    """An error of the tool's own says that nothing was done."""
    assert error_of(call(failing(ToolError("no_funds", "there is no money"), "unsafe")))["code"] == "no_funds"


def test_a_defect_of_ours_after_an_effect_is_uncertain(isolation: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a bug in Remit must not make a carried out call look like one that failed."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("agents.toolbox.succeeded", broken)
    box = Toolbox([returning(lambda: ToolResult("x"), "unsafe")], Known(), isolation)
    done = box.run(StepCall(id="c1.0", tool="do.it"), "E4.2", Deadline.after(5), "key")
    assert done == Uncertain("c1.0", "a defect in Remit stopped this call: ZeroDivisionError")


def test_an_effect_whose_tool_returned_no_result_has_happened(call: Callable[..., Observed]) -> None:
    """A tool that returns something else has run to its end all the same."""
    done = call(returning(lambda: {"a": 1}, "unsafe"))
    assert done.ok
    assert done.summary == (
        "do.it was carried out, but do.it returned a `dict` instead of a ToolResult. Do not repeat it."
    )


def test_what_is_asked_last_may_stop_a_call(isolation: Isolation) -> None:
    """A worker that lost its lease begins nothing; a call that is too late is told as not begun."""
    ran: list[int] = []
    box = Toolbox([returning(lambda: ran.append(1), "unsafe")], Known(), isolation)
    asked = StepCall(id="c1.0", tool="do.it")

    def fenced() -> None:
        raise FencedError("the lease has passed")

    def late() -> None:
        raise ToolError("no_time", "it is too late")

    with pytest.raises(FencedError):
        box.run(asked, "E4.2", Deadline.after(5), "key", fenced)
    done = box.run(asked, "E4.2", Deadline.after(5), "key", late)
    assert isinstance(done, Observed)
    assert error_of(done)["code"] == "no_time"
    assert ran == []


def test_an_intention_has_the_arguments_as_the_tool_gets_them(isolation: Isolation) -> None:
    """Validated, defaults filled in; a call that only reads or cannot be begun has none."""

    @tool("pay", effect="unsafe", use_when="always", not_when="never")
    def pay(amount: Decimal, to: str = "Ada") -> ToolResult:
        """Pay."""
        return ToolResult(f"paid {amount} to {to}")

    box = Toolbox([pay, returning(lambda: ToolResult("x"))], Known(), isolation)
    assert box.intention(StepCall(id="c1.0", tool="pay", arguments={"amount": "1.50"})) == {
        "amount": "1.50",
        "to": "Ada",
    }
    for other in (
        StepCall(id="c1.0", tool="pay", arguments={"amount": "much"}),
        StepCall(id="c1.0", tool="pay", arguments={}, malformed="{"),
        StepCall(id="c1.0", tool="do.it"),
        StepCall(id="c1.0", tool="none"),
    ):
        assert box.intention(other) is None


def test_keeps_the_words_of_a_tool_error(call: Callable[..., Observed]) -> None:
    """Code, message, hint and whether to try again are the tool's own."""
    error = error_of(
        call(failing(ToolError("no_such_row", "row 7 does not exist", retryable=True, hint="Take 1 to 6.")))
    )
    told = {"code": "no_such_row", "message": "row 7 does not exist", "retryable": True, "hint": "Take 1 to 6."}
    assert error == told


def test_an_outside_failure_may_be_tried_again(call: Callable[..., Observed]) -> None:
    """A database that is away is worth a second try."""
    error = error_of(call(failing(StoreError("the database did not answer"))))
    assert (error["code"], error["retryable"]) == ("outside", True)


def test_a_result_that_is_none_is_the_tools_fault(call: Callable[..., Observed]) -> None:
    """A tool that returns something else than a ToolResult is told so by name."""
    message = error_of(call(returning(lambda: {"a": 1})))["message"]
    assert message == "do.it returned a `dict` instead of a ToolResult"


def test_refuses_a_result_with_nan_by_its_path(call: Callable[..., Observed]) -> None:
    """NaN never gets into the store, and the agent learns where it was."""
    error = error_of(call(returning(lambda: ToolResult("x", {"rows": [{"share": float("nan")}]}))))
    assert error["code"] == "unstorable_result"
    assert "`data.rows[0].share` is nan" in error["message"]
    assert error["retryable"] is False


def test_refuses_what_it_cannot_show_as_well(call: Callable[..., Observed]) -> None:
    """What a tool shows is checked like what it stores."""
    error = error_of(call(returning(lambda: ToolResult("x", 1, shown={"a": object()}))))
    assert "`shown.a` is a `object`" in error["message"]


@pytest.mark.parametrize("result", [ToolResult("x", "y" * 200), ToolResult("x", artifacts={"a": b"y" * 200})])
def test_a_result_that_is_too_large_is_a_permanent_error(
    call: Callable[..., Observed], monkeypatch: pytest.MonkeyPatch, result: ToolResult
) -> None:
    """Not retried for ever: the same call fails again, and the hint says what to do instead."""
    monkeypatch.setattr(content, "LARGEST", 150)
    monkeypatch.setattr("agents.observing.LARGEST", 150)
    error = error_of(call(returning(lambda: result)))
    assert (error["code"], error["retryable"]) == ("too_large", False)
    assert "less at once" in error["hint"]


def test_an_effect_whose_result_cannot_be_kept_has_happened(call: Callable[..., Observed]) -> None:
    """The mail is sent though its receipt can't be stored: no error that would invite a second mail."""
    done = call(returning(lambda: ToolResult("Sent to 3 people.", {"receipt": object()}), "unsafe"))
    assert done.ok
    assert done.summary.startswith("do.it was carried out, but the tool's result cannot be stored: `data.receipt`")
    assert "Do not repeat it. Sent to 3 people." in done.summary
    assert json.loads(done.content)["data"] is None


@pytest.mark.parametrize("name", ["../etc/passwd", "", "a/b", "a\nb", "x" * 300, "..", "a\\b"])
def test_files_have_plain_names(call: Callable[..., Observed], name: str) -> None:
    """A file name from a tool cannot lead out of the folder it is exported to."""
    error = error_of(call(returning(lambda: ToolResult("x", artifacts={name: b""}))))
    assert error["code"] == "unstorable_result"


def test_a_summary_is_one_line_of_sensible_length(call: Callable[..., Observed]) -> None:
    """Line breaks and control characters go, and what is too long ends in an ellipsis."""
    done = call(returning(lambda: ToolResult("a\n\tb\x00\x1b[31m " + "c" * 900)))
    assert done.summary.startswith("a b��[31m c")
    assert len(done.summary) == 500
    assert done.summary.endswith("c…")


def test_nothing_is_started_without_time(call: Callable[..., Observed]) -> None:
    """After the deadline a tool is not run any more."""
    ran: list[int] = []
    error = error_of(call(returning(lambda: ran.append(1)), 0.0))
    assert error["code"] == "no_time"
    assert ran == []


def test_a_defect_of_our_own_is_an_observation_too(
    isolation: Isolation, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even a bug in Remit leaves no call without an answer; it is logged with its traceback."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("agents.toolbox.checked", broken)
    box = Toolbox([returning(lambda: ToolResult("x"))], Known(), isolation)
    with caplog.at_level(logging.ERROR):
        done = box.run(StepCall(id="c1.0", tool="do.it"), "E4.2", Deadline.after(5), "key")
    assert isinstance(done, Observed)
    error = error_of(done)
    assert error["code"] == "defect"
    assert "ZeroDivisionError" in error["message"]
    assert "ZeroDivisionError" in caplog.text


def test_an_empty_result_is_marked(call: Callable[..., Observed]) -> None:
    """The agent sees that nothing was found, and what to try instead."""
    done = call(returning(lambda: ToolResult("No row has this reference; try a shorter one.", [], empty=True)))
    shown = parse_shown(done.shown)
    assert (shown["empty"], shown["data"], shown["summary"]) == (
        True,
        [],
        "No row has this reference; try a shorter one.",
    )


def test_an_empty_result_names_what_else_may_find_it(isolation: Isolation) -> None:
    """The tools that stand behind it in the team's order and only read; none where it is the last."""

    def named(name: str, effect: Effect = "read") -> Tool:
        @tool(name, effect=effect, use_when="looking", not_when="not looking")
        def look(what: str) -> ToolResult:
            """Look."""
            return ToolResult(f"There is no {what}. Try another word.", {"found": []}, empty=True)

        return look

    tools = [named("first"), named("second"), named("write", "unsafe"), read, named("third")]

    def shown(name: str) -> str:
        asked = StepCall(id="c3.1", tool=name, arguments={"what": "x"})
        done = Toolbox(tools, Known(), isolation).run(asked, "E4.2", Deadline.after(30), "k")
        assert isinstance(done, Observed)
        return done.shown.split("\n")[-1]

    told = "Nothing was found. If other arguments do not help either, try "
    assert shown("first") == f"{told}`second`, then `third`."
    assert shown("second") == f"{told}`third`."
    assert shown("third") == "</observation>"


def test_an_ask_from_a_tool_of_ones_own(isolation: Isolation) -> None:
    """Any tool may ask a person instead of answering."""
    draft = escalate.run(escalate.arguments(question="Go on?"), _context())
    assert isinstance(draft, Ask)
    box = Toolbox([returning(lambda: draft)], Known(), isolation)
    assert box.run(StepCall(id="c1.0", tool="do.it"), "E1.1", Deadline.after(5), "key") == Asked("c1.0", draft.draft)


def _context() -> ToolContext:
    @dataclass(frozen=True)
    class Context(Known):
        deadline: Deadline = field(default_factory=lambda: Deadline.after(5))
        idempotency_key: str = "key"

    return Context()


def test_one_page_of_400_000_tokens(call: Callable[..., Observed]) -> None:
    """All of it is stored; the agent reads its beginning, how much there is, and nothing beyond the limit."""
    page = "four " * 400_000
    done = call(returning(lambda: ToolResult("One page.", {"page": page})))
    assert json.loads(done.content)["data"]["page"] == page
    shown = parse_shown(done.shown)["data"]["page"].rstrip("…")
    assert len(done.shown) <= 2_000
    assert len(shown) > 1_000
    assert page.startswith(shown)
