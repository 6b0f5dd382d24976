"""The loop thinks, acts and observes until there is an answer, a question for a person, or a limit."""

import json
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from agents.errors import ModelUnavailableError, SpentError, ToolError
from agents.isolation import Isolation
from agents.journal import Attempt, Later
from agents.memory_journal import MemoryJournal
from agents.models.base import Call, Message, ModelReply, ModelRequest
from agents.models.scripted import Scripted, Turn, called, cut_off, said
from agents.react import Agent, Answered, AskedPeople, End, Loop, Stopped, Yielded
from agents.roles import Known, specialist
from agents.toolbox import Observed, Toolbox, Uncertain
from agents.tools.builtin.escalate import escalate
from agents.tools.function import Tool, ToolContext, ToolResult, tool
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.domain.finding import Ending
from orchestrator.domain.step import Step, StepCall
from orchestrator.errors import FencedError

declared = partial(tool, use_when="it is needed", not_when="it is not")


@declared("look", effect="read")
def look(what: Annotated[str, Field(description="What to look at.")]) -> ToolResult:
    """Look at something."""
    if what == "nothing":
        raise ToolError("not_found", "there is no nothing", hint="Look at something.")
    return ToolResult(f"{what} is there", {"what": what})


@declared("pay", effect="unsafe")
def pay(amount: str) -> ToolResult:
    """Pay an amount."""
    return ToolResult(f"paid {amount}")


class NoEvidence:
    """A run without inputs and observations."""

    def input(self, name: str) -> Path:
        """No input exists."""
        raise ToolError("unknown_input", name)

    def input_names(self) -> dict[str, str]:
        """None."""
        return {}

    def observed(self, ref: str) -> Any:
        """None."""
        raise ToolError("unknown_evidence", ref)

    def files(self) -> dict[str, int]:
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
    """Children for heavy tools; none is needed here."""
    made = Isolation()
    yield made
    made.close()


Run = Callable[..., tuple[End, MemoryJournal, Scripted]]


@pytest.fixture
def work(isolation: Isolation) -> Generator[Run]:
    """Runs an agent whose model says the given turns."""
    executor = ThreadPoolExecutor(4)
    known = Known(lambda: frozenset({"E7.1"}), frozenset, lambda: {"E7.1": {"what": "a"}})

    def run(
        turns: Sequence[Turn],
        journal: MemoryJournal | None = None,
        tools: Sequence[Tool] = (look, pay, escalate),
        **changes: Any,
    ) -> tuple[End, MemoryJournal, Scripted]:
        model, journal = Scripted(turns), journal or MemoryJournal()
        agent = Agent(
            model=model,
            toolbox=Toolbox(tools, NoEvidence(), isolation),
            judge=specialist(known),
            opening=(Message("system", "You look."), Message("user", "Look.")),
            number=7,
            most_steps=10,
            seconds=300.0,
            worked=0.0,
        )
        loop = Loop(replace(agent, **changes), journal.steps, journal, SilentTelemetry(), executor)
        return loop.run(), journal, model

    yield run
    executor.shutdown()


def shown(journal: MemoryJournal) -> list[tuple[str, bool]]:
    """Number and success of each result."""
    return [(result.ref or "", result.ok) for step in journal.steps for result in step.results]


def test_answer_after_an_observation(work: Run) -> None:
    """A call is run, its result is read, the answer counts; the last step goes with the finding."""
    answer = json.dumps({"summary": "it is there [E7.1]", "evidence": ["E7.1"]})
    end, journal, model = work([called(("look", {"what": "a"}), thought="I look."), said(answer)])
    assert isinstance(end, Answered)
    assert (end.accepted.text, end.ending, end.step.n) == ("it is there [E7.1]", Ending.ANSWER, 2)
    assert [(step.n, step.thought) for step in journal.steps] == [(1, "I look.")]
    assert [message.role for message in model.asked[1].messages] == ["system", "user", "assistant", "tool"]
    assert "a is there" in model.asked[1].messages[-1].text


def test_resuming_asks_with_the_same_prompt(work: Run) -> None:
    """A transcript rebuilt from stored steps is the one that was built while they were made."""
    turns = [called(("look", {"what": "a"})), called(("look", {"what": "b"})), said("done")]
    _, journal, whole = work(turns)
    again = MemoryJournal(journal.steps[:1])
    _, _, resumed = work(turns[1:], again)
    assert [request.messages for request in resumed.asked] == [request.messages for request in whole.asked[1:]]
    assert [request.step for request in resumed.asked] == [2, 3]


def test_calls_that_only_read_run_side_by_side(work: Run) -> None:
    """Two reads of one reply are under way at the same time; each result stands under its own call."""
    meeting = threading.Barrier(2, timeout=60)

    @declared("meet", effect="read")
    def meet(name: str) -> ToolResult:
        """Meet somebody."""
        meeting.wait()
        return ToolResult(f"met {name}")

    _, journal, _ = work([called(("meet", {"name": "a"}), ("meet", {"name": "b"})), said("done")], tools=(meet,))
    assert [(r.call_id, r.ref) for r in journal.steps[0].results] == [("c1.0", "E7.1"), ("c1.1", "E7.2")]
    assert ["met a" in journal.steps[0].results[0].shown, "met b" in journal.steps[0].results[1].shown] == [True, True]


def test_an_effect_is_written_down_before_it_starts(work: Run) -> None:
    """With an effect among the calls they run in order, and the intent of the effect alone is stored first."""
    _, journal, _ = work([called(("look", {"what": "a"}), ("pay", {"amount": "1"})), said("done")])
    assert journal.intended == [(1, "c1.1")]
    assert shown(journal) == [("E7.1", True), ("E7.2", True)]


def test_each_effect_of_a_reply_is_written_down_by_itself(work: Run) -> None:
    """Before the second begins, the first one's result is stored: a crash in between loses nothing of it."""
    stored: list[int] = []

    class Watched(MemoryJournal):
        def intend(self, step: Step, call: StepCall, done: Sequence[Observed | Uncertain]) -> Attempt:
            stored.append(len(step.results))
            return super().intend(step, call, done)

    reply = called(("pay", {"amount": "1"}), ("look", {"what": "a"}), ("pay", {"amount": "2"}))
    _, journal, _ = work([reply, said("done")], Watched())
    assert stored == [0, 2]
    assert journal.intended == [(1, "c1.0"), (1, "c1.2")]
    assert sorted(journal.observed) == ["E7.1", "E7.2", "E7.3"]


@pytest.mark.parametrize("calls", [("pay", "look"), ("look", "look"), ("show",)])
def test_nothing_is_begun_when_the_claim_may_be_lost(work: Run, calls: tuple[str, ...]) -> None:
    """Not even what only reads, or only shows: the worker may have been suspended inside the call before."""
    begun: list[str] = []

    @declared("look", effect="read")
    def look() -> ToolResult:
        """Look at something."""
        begun.append("look")
        return ToolResult("seen")

    def preview(arguments: Any, context: Any) -> ToolResult:
        del arguments, context
        begun.append("preview")
        return ToolResult("it would be done")

    @declared("show", effect="unsafe", preview=preview)
    def show() -> ToolResult:
        """Do something after showing it."""
        return ToolResult("done")

    class Lost(MemoryJournal):
        def begin(self) -> None:
            raise FencedError("the lease may have passed", where="me")

    given: dict[str, dict[str, object]] = {"pay": {"amount": "1"}}
    reply = called(*((name, given.get(name, {})) for name in calls))
    with pytest.raises(FencedError):
        work([reply, said("done")], Lost(), tools=(pay, look, show))
    assert begun == []


def test_a_call_that_cannot_be_begun_is_not_announced(work: Run) -> None:
    """Wrong arguments have no effect: nothing is written down, nobody will ever ask about it."""
    _, journal, _ = work([called(("pay", {"sum": "1"})), said("done")])
    assert journal.intended == []
    assert shown(journal) == [("E7.1", False)]


def test_a_call_of_unknown_outcome_is_recovered_in_the_same_turn(work: Run) -> None:
    """The step is stored with the call open, then recovery decides; here, to begin it again."""
    tries = iter(range(3))

    @declared("send", effect="keyed")
    def send() -> ToolResult:
        """Send something."""
        if next(tries) < 2:
            raise TimeoutError("no answer")
        return ToolResult("sent")

    _, journal, _ = work([called(("send", {}), ("look", {"what": "a"})), said("done")], tools=(send, look))
    assert [one.why for one in journal.uncertain] == ["send failed: TimeoutError: no answer"] * 2
    assert journal.intended == [(1, "c1.0")] * 3
    assert shown(journal) == [("E7.3", True), ("E7.2", True)]


def test_what_is_shown_first_is_done_when_the_same_call_is_repeated(work: Run) -> None:
    """An unsafe tool with a preview: the agent reads what would happen, and repeats the call to have it done."""
    paid: list[str] = []

    def would(arguments: Any, context: ToolContext) -> ToolResult:
        return ToolResult(f"{arguments.amount} would leave the account", {"after": 88})

    @declared("transfer", effect="unsafe", preview=would)
    def transfer(amount: str) -> ToolResult:
        """Transfer an amount."""
        paid.append(amount)
        return ToolResult(f"transferred {amount}")

    def ask(amount: str) -> Turn:
        return called(("transfer", {"amount": amount}))

    _, journal, model = work([ask("1"), ask("2"), ask("2"), ask("2"), ask("1"), said("done")], tools=(transfer,))
    assert paid == ["2", "1"]
    assert journal.intended == [(3, "c3.0"), (5, "c5.0")]
    assert [result.preview for step in journal.steps for result in step.results] == [True, True, False, True, False]
    first = model.asked[1].messages[-1].text
    assert "Preview, nothing was done yet. To have it done, repeat the same call. 1 would leave the account" in first


def test_two_same_calls_in_one_reply_are_shown_twice(work: Run) -> None:
    """One preview lets one call through; and what was seen is known from the stored steps alone."""
    paid: list[str] = []

    def would(arguments: Any, context: ToolContext) -> ToolResult:
        return ToolResult("would be paid")

    @declared("transfer", effect="unsafe", preview=would)
    def transfer(amount: str) -> ToolResult:
        """Transfer an amount."""
        paid.append(amount)
        return ToolResult("transferred")

    twice = called(("transfer", {"amount": "1"}), ("transfer", {"amount": "1"}))
    _, journal, _ = work([twice, said("done")], tools=(transfer,))
    assert paid == []
    work([twice, said("done")], MemoryJournal(journal.steps), tools=(transfer,))
    assert paid == ["1"]


def test_a_preview_that_fails_is_none(work: Run) -> None:
    """What the agent could not see is not done when it calls again."""

    def would(arguments: Any, context: ToolContext) -> ToolResult:
        raise OSError("down")

    @declared("transfer", effect="unsafe", preview=would)
    def transfer() -> ToolResult:
        """Transfer."""
        raise AssertionError("it was done")

    _, journal, _ = work([called(("transfer", {})), called(("transfer", {})), said("done")], tools=(transfer,))
    assert shown(journal) == [("E7.1", False), ("E7.2", False)]
    assert "the preview of transfer failed: OSError: down" in journal.steps[0].results[0].shown


def test_a_failure_leaves_its_siblings(work: Run) -> None:
    """Each call of a reply gets exactly one result, a failure beside a success (failures 40)."""
    calls = called(("look", {"what": "nothing"}), ("look", {"what": "b"}), ("peek", {"what": "c"}))
    _, journal, model = work([calls, said("done")])
    assert shown(journal) == [("E7.1", False), ("E7.2", True), ("E7.3", False)]
    texts = [message.text for message in model.asked[1].messages if message.role == "tool"]
    assert "not_found" in texts[0]
    assert "look" in texts[2]  # the tools that exist (failures 43)


@pytest.mark.parametrize("raw", ["hello", "[1]", "null", '"{"'])
def test_malformed_arguments_are_never_run(work: Run, raw: str) -> None:
    """What is no object comes back as an error that says so (failures 38)."""

    def malformed(request: Any) -> Any:
        reply = called(("pay", {}))(request)
        return replace(reply, calls=(Call("c1.0", "pay", {}, raw),))

    _, journal, _ = work([malformed, said("done")])
    assert shown(journal) == [("E7.1", False)]


def test_a_reply_that_was_cut_off_is_never_run(work: Run) -> None:
    """Its calls are neither carried out nor sent back as history (failures 39)."""
    end, journal, model = work([cut_off([Call("c1.0", "pay", {"amount": "1"})]), said("done")])
    assert isinstance(end, Answered)
    assert shown(journal) == []
    assert all(not message.calls for message in model.asked[1].messages)
    assert "cut off" in model.asked[1].messages[-1].text


def test_asking_a_person_waits_and_goes_on_with_the_answer(work: Run) -> None:
    """The call stays open; the answer is its result, under a number of its own."""
    question: dict[str, object] = {"question": "Which?", "answer_type": "text"}
    end, journal, _ = work([called(("escalate", question), ("look", {"what": "a"}))])
    assert isinstance(end, AskedPeople)
    assert [call_id for call_id, _ in end.drafts] == ["c1.0"]
    journal.save(end.step, end.done)
    journal.answers["c1.0"] = Observed(
        call_id="c1.0", ok=True, summary="B", content="{}", shown="B it is", artifacts={}, tool="escalate", ref="E7.3"
    )
    end, journal, model = work([said("done")], journal)
    assert isinstance(end, Answered)
    assert shown(journal) == [("E7.3", True), ("E7.2", True)]
    assert model.asked[0].messages[-2] == Message("tool", "B it is", call_id="c1.0")


def test_an_interrupted_call_may_have_to_wait(work: Run) -> None:
    """While a dead worker's call may still be under way, the turn gives its worker back."""
    _, journal, _ = work([called(("pay", {"amount": "1"})), said("done")])
    opened = journal.steps[0].model_copy(update={"results": ()})
    journal = MemoryJournal([opened])
    journal.recoveries["c1.0"] = Later(12.0)
    end, _, _ = work([], journal)
    assert end == Yielded(12.0)


def test_the_last_step_is_made_without_tools(work: Run) -> None:
    """At the step limit the agent is told, gets no tools, and its answer is partial."""
    turns: list[Turn] = [called(("look", {"what": f"{n}"})) for n in range(2)]
    end, journal, model = work([*turns, said("what I know")], most_steps=3)
    assert isinstance(end, Answered)
    assert end.accepted.finding(end.ending).status == "partial"
    assert (end.ending, end.accepted.text) == (Ending.STEP_LIMIT, "The step limit is reached. what I know")
    assert [bool(request.tools) for request in model.asked] == [True, True, False]
    assert journal.steps[-1].last_call


class OutOfMoneyError(SpentError):
    """Nothing is left of a limit that nobody raises."""

    ending = Ending.MONEY_LIMIT


class BusyError(OutOfMoneyError):
    """Others have set aside what is left."""

    final = False


LOOKED: Turn = called(("look", {"what": "a"}))


def test_at_the_limit_of_a_budget_the_agent_says_what_it_knows(work: Run) -> None:
    """One last call without tools; the partial finding says which limit it was, and then what is known."""
    spent = OutOfMoneyError("The limit of the run of 2 USD is reached.")
    end, journal, model = work([LOOKED, spent, said("a is there [E7.1]")])
    assert isinstance(end, Answered)
    finding = end.accepted.finding(end.ending)
    assert (finding.status, finding.ending) == ("partial", Ending.MONEY_LIMIT)
    assert finding.text == "The limit of the run of 2 USD is reached. a is there [E7.1]"
    assert [bool(request.tools) for request in model.asked] == [True, True, False]
    assert journal.steps[-1].last_call
    assert journal.steps[-1].text.startswith("The limit of the run of 2 USD is reached. Answer now")


def test_where_not_even_a_last_call_is_allowed_the_turn_ends_it(work: Run) -> None:
    """The error comes through; so it does at once where others have set aside what is left, or a person is asked."""
    with pytest.raises(OutOfMoneyError):
        work([LOOKED, OutOfMoneyError("Spent."), OutOfMoneyError("Spent.")])
    journal = MemoryJournal()
    with pytest.raises(BusyError):
        work([LOOKED, BusyError("Busy.")], journal)
    assert [step.kind for step in journal.steps] == ["reply"]


def test_a_last_answer_at_a_budget_that_does_not_count_is_mended_too(work: Run) -> None:
    """Asked again without tools, told only once that it is the last time."""
    wrong = said(json.dumps({"summary": "x", "evidence": ["E9.9"]}))
    spent = OutOfMoneyError("Spent.")
    end, journal, model = work([LOOKED, spent, wrong, spent, said("a is there [E7.1]")])
    assert isinstance(end, Answered)
    assert end.ending is Ending.MONEY_LIMIT
    assert [bool(request.tools) for request in model.asked] == [True, True, False, True, False]
    assert sum(step.last_call for step in journal.steps) == 1


def test_time_is_counted_over_turns(work: Run) -> None:
    """A subtask that used up its time in earlier turns answers at once."""
    end, _, model = work([said("so far")], worked=300.0)
    assert isinstance(end, Answered)
    assert (end.ending, end.accepted.text) == (Ending.TIME_LIMIT, "The time limit is reached. so far")
    assert [bool(request.tools) for request in model.asked] == [False]


def test_an_answer_that_does_not_count_is_mended_twice(work: Run) -> None:
    """Reasons go back with the same words; the third time in a row the agent has failed."""
    wrong = said(json.dumps({"summary": "x", "evidence": ["E9.9"]}))
    end, journal, model = work([wrong, wrong, wrong])
    assert isinstance(end, Stopped)
    assert end.ending is Ending.UNPARSABLE
    assert "E9.9" in end.said
    assert [step.kind for step in journal.steps] == ["reply", "notice", "reply", "notice"]
    assert "There is no observation `E9.9`" in model.asked[1].messages[-1].text


def test_the_same_call_with_the_same_result_is_stopped(work: Run) -> None:
    """Told the second time, stopped the third (failures 44)."""
    end, journal, _ = work([called(("look", {"what": "a"}))] * 5)
    assert isinstance(end, Stopped)
    assert end.ending is Ending.NO_PROGRESS
    assert ["Nothing changed" in r.shown for step in journal.steps for r in step.results] == [False, True, True]
    second = journal.steps[1].results[0].shown
    assert second.endswith("Send other arguments, use another tool (pay, escalate), or answer with what you know.")
    assert "look was called in 3 steps with the same arguments" in end.said
    assert "- a is there" in end.said


def test_two_calls_in_turn_are_stopped(work: Run) -> None:
    """A-B-A-B: each is told the second time, and the third A ends it with the diagnosis."""
    turns: list[Turn] = [called(("look", {"what": "a"})), called(("look", {"what": "b"}))]
    end, journal, _ = work(turns * 3)
    assert isinstance(end, Stopped)
    assert end.ending is Ending.NO_PROGRESS
    assert ["Nothing changed" in r.shown for step in journal.steps for r in step.results] == [False] * 2 + [True] * 3
    assert "look was called in 3 steps" in end.said


def test_calls_at_a_limit_are_not_carried_out(work: Run) -> None:
    """Some servers hand out calls although none were offered: told twice, then what was observed is the finding."""
    call: Turn = called(("look", {"what": "b"}))
    end, journal, model = work([called(("look", {"what": "a"})), call, call, call], most_steps=2)
    assert isinstance(end, Stopped)
    assert (end.ending, len(model.asked)) == (Ending.STEP_LIMIT, 4)
    assert end.said == "The step limit is reached. Observed before the agent was stopped:\n- a is there"
    assert shown(journal) == [("E7.1", True)]
    assert "No tool can be used any more" in model.asked[2].messages[-1].text


def test_text_beside_a_call_at_a_limit_is_the_answer(work: Run) -> None:
    """The call is dropped, what was said counts, and the stored step holds no open call."""

    def reply(request: ModelRequest) -> ModelReply:
        return replace(called(("look", {"what": "b"}))(request), text="a is there [E7.1]")

    end, _, _ = work([called(("look", {"what": "a"})), reply], most_steps=2)
    assert isinstance(end, Answered)
    assert (end.step.calls, end.ending) == ((), Ending.STEP_LIMIT)
    assert end.accepted.text == "The step limit is reached. a is there [E7.1]"


def test_a_poll_that_changes_is_progress(work: Run) -> None:
    """The same call with another result goes on."""
    count = iter(range(10))

    @declared("poll", effect="read")
    def poll() -> ToolResult:
        """Poll something."""
        return ToolResult(f"{next(count)} done")

    end, _, _ = work([*[called(("poll", {}))] * 5, said("done")], tools=(poll,))
    assert isinstance(end, Answered)


def test_a_turn_ends_between_steps(work: Run) -> None:
    """When the worker has to stop, the step in hand is finished and nothing more is begun."""
    journal = MemoryJournal()
    journal.yields = lambda: bool(journal.steps)
    end, journal, model = work([called(("look", {"what": "a"})), said("done")], journal)
    assert (end, len(journal.steps), len(model.asked)) == (Yielded(), 1, 1)


def test_a_subtask_that_was_taken_away_is_left_at_once(work: Run) -> None:
    """What only reads has no time left then, and no further step is begun."""
    journal, left = MemoryJournal(), list[float]()

    @declared("read", effect="read")
    def read(context: ToolContext) -> ToolResult:
        """Read."""
        left.append(context.deadline.left())
        journal.taken = lambda: True
        left.append(context.deadline.left())
        return ToolResult("read")

    end, _, model = work([called(("read", {})), said("done")], journal, tools=(read,))
    assert (end, len(model.asked)) == (Yielded(), 1)
    assert (left[0] > 1, left[1]) == (True, 0.0)


def test_a_model_that_is_away_is_the_turns_business(work: Run) -> None:
    """Nothing is stored of a step whose model did not answer."""
    journal = MemoryJournal()
    with pytest.raises(ModelUnavailableError):
        work([ModelUnavailableError("no answer")], journal)
    assert journal.steps == []
