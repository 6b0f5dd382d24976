"""A context that runs full is shortened: old results become their summaries, and nothing is lost or parted."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

import pytest

from agents.context import FIRST_GUESS, Context, shortening
from agents.errors import ContextOverflowError
from agents.fences import parse_shown
from agents.isolation import Isolation
from agents.memory_journal import MemoryJournal
from agents.models.base import Message, ModelReply
from agents.models.scripted import Scripted, Turn, called, said
from agents.react import Agent, Answered, Loop
from agents.roles import Known, specialist
from agents.toolbox import Evidence, Toolbox
from agents.tools.function import ToolResult, tool
from agents.transcript import as_messages, trailing_mends
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.domain.step import Step, StepCall


@tool("read", effect="read", use_when="reading", not_when="not reading")
def read(page: int) -> ToolResult:
    """Read a page."""
    return ToolResult(f"page {page}", {"page": page, "text": "word " * 300})


@pytest.fixture
def work() -> Generator[Callable[..., tuple[Any, MemoryJournal, Scripted]]]:
    """Runs an agent with a budget."""
    isolation, executor = Isolation(), ThreadPoolExecutor(2)

    def run(turns: list[Turn], context: int) -> tuple[Any, MemoryJournal, Scripted]:
        model, journal = Scripted(turns), MemoryJournal()
        agent = Agent(
            model=model,
            toolbox=Toolbox([read], cast("Evidence", None), isolation),
            judge=specialist(Known(frozenset, frozenset, dict)),
            opening=(Message("system", "You read."), Message("user", "Read.")),
            number=2,
            most_steps=20,
            seconds=300,
            worked=0,
            context=context,
        )
        return Loop(agent, (), journal, SilentTelemetry(), executor).run(), journal, model

    yield run
    isolation.close()
    executor.shutdown()


def whole(messages: tuple[Message, ...]) -> list[bool]:
    """Which tool results are shown whole."""
    return [parse_shown(message.text)["data"] is not None for message in messages if message.role == "tool"]


def test_old_results_become_their_summaries(work: Callable[..., Any]) -> None:
    """The last two replies keep theirs; each call still has its result, and the summary its number."""
    turns: list[Turn] = [called(("read", {"page": n})) for n in range(6)]
    end, journal, model = work([*turns, said("done")], 800)
    assert isinstance(end, Answered)
    last = model.asked[-1].messages
    assert whole(last)[-2:] == [True, True]
    assert not any(whole(last)[:3])
    assert [m.call_id for m in last if m.role == "tool"] == [c.id for m in last for c in m.calls]
    first = parse_shown(next(m.text for m in last if m.role == "tool"))
    assert (first["ref"], first["summary"]) == ("E2.1", "page 0")
    assert "word word" in journal.observed["E2.1"].content


def test_the_rebuilt_transcript_is_the_same(work: Callable[..., Any]) -> None:
    """Shortening is a stored step: whoever reads the steps asks with the same prompt."""
    turns: list[Turn] = [called(("read", {"page": n})) for n in range(6)]
    _, journal, model = work([*turns, said("done")], 800)
    assert list(model.asked[-1].messages[2:]) == as_messages(journal.steps)


def test_an_overflow_is_shortened_and_asked_again(work: Callable[..., Any]) -> None:
    """The server says that it is too much: shrink once and go on."""
    turns: list[Turn] = [called(("read", {"page": n})) for n in range(4)]
    end, _, model = work([*turns, ContextOverflowError("too long"), said("done")], 100_000)
    assert isinstance(end, Answered)
    assert whole(model.asked[-2].messages) == [True] * 4
    assert whole(model.asked[-1].messages) == [False, False, True, True]


def test_steps_that_still_do_not_fit_are_summarized_by_the_agent(work: Callable[..., Any]) -> None:
    """Once shortening is not enough: the summary takes the place of the steps, which stay in the store."""
    turns: list[Turn] = [called(("read", {"page": n})) for n in range(6)]
    overflow = ContextOverflowError("too long")
    told = said("Pages 0 to 3 are read [E2.1]; 4 and 5 are to be compared.", tokens=33)
    end, journal, model = work([*turns, overflow, overflow, told, said("done")], 100_000)
    assert isinstance(end, Answered)
    question, last = model.asked[-2], model.asked[-1].messages
    assert question.tools == ()
    assert whole(question.messages) == [False] * 4
    assert question.messages[-1].text.startswith("Your context is full.")
    assert [m.role for m in last[:3]] == ["system", "user", "user"]
    assert last[2].text.endswith("4 and 5 are to be compared.")
    assert whole(last) == [True, True]
    assert [m.call_id for m in last if m.role == "tool"] == [c.id for m in last for c in m.calls]
    assert list(last[2:]) == as_messages(journal.steps)
    (stored,) = [step for step in journal.steps if step.summarizes_to]
    assert (stored.kind, stored.summarizes_to, stored.usage.output_tokens) == ("reply", 4, 33)
    assert len([step for step in journal.steps if step.calls]) == 6


def test_a_summary_is_no_step_of_the_work(work: Callable[..., Any]) -> None:
    """An agent that may make seven steps makes seven, however often it had to sum up; each sums up the last."""
    overflow = ContextOverflowError("too long")
    turns: list[Turn] = []
    for n in range(12):
        turns.append(called(("read", {"page": n})))
        if n in {5, 10}:
            turns += [overflow, overflow, said(f"Summary at {n}.")]
    end, journal, model = work([*turns, said("done")], 100_000)
    assert isinstance(end, Answered)
    assert [step.summarizes_to for step in journal.steps if step.summarizes_to] == [4, 11]
    shown = [m.text for m in model.asked[-1].messages if "summarized it yourself" in m.text]
    assert [text.rsplit("\n", 1)[1] for text in shown] == ["Summary at 10."]
    assert "Summary at 5." in next(m.text for m in model.asked[-4].messages if "summarized it yourself" in m.text)


@pytest.mark.parametrize("empty", [said("  "), replace(said("no"), finish="filter")])
def test_without_a_summary_the_overflow_stands(work: Callable[..., Any], empty: ModelReply) -> None:
    """An empty or filtered text stands in for nothing."""
    turns: list[Turn] = [called(("read", {"page": n})) for n in range(6)]
    overflow = ContextOverflowError("too long")
    with pytest.raises(ContextOverflowError):
        work([*turns, overflow, overflow, empty], 100_000)


def test_making_room_does_not_count_as_sending_an_answer_back() -> None:
    """Else a first answer would be taken unchecked for a second one."""
    reply = Step(n=1, calls=(StepCall(id="c1.0", tool="read"),))
    assert trailing_mends([reply, shortening(2, 1), Step(n=3, text="Sum.", summarizes_to=1)]) == 0
    assert trailing_mends([reply, Step(n=2, text="no"), Step(n=3, kind="notice", text="That does not count.")]) == 1


def test_what_cannot_be_shortened_is_refused(work: Callable[..., Any]) -> None:
    """One result that is too long for the model is an error that says so, not a loop."""
    with pytest.raises(ContextOverflowError):
        work([called(("read", {"page": 1})), ContextOverflowError("too long")], 100_000)


def test_the_guess_becomes_what_the_server_counts() -> None:
    """A text that costs more tokens than guessed fills the context sooner."""
    messages = [Message("user", "字" * 3000)]
    context = Context(budget=1500)
    assert context.asking(messages, ()) is (3000 / FIRST_GUESS <= 1500)
    context.counted(2000)
    assert not context.asking([*messages, Message("user", "字")], ())
