"""A context that runs full is shortened: old results become their summaries, and nothing is lost or parted."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from agents.context import FIRST_GUESS, Context
from agents.errors import ContextOverflowError
from agents.fences import parse_shown
from agents.isolation import Isolation
from agents.memory_journal import MemoryJournal
from agents.models.base import Message
from agents.models.scripted import Scripted, Turn, called, said
from agents.react import Agent, Answered, Loop
from agents.roles import Known, specialist
from agents.toolbox import Evidence, Toolbox
from agents.tools.function import ToolResult, tool
from agents.transcript import as_messages
from orchestrator.adapters.otel.silent import SilentTelemetry


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
