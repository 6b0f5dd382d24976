"""A whole agent whose model cannot call tools, from its opening to its answer, over real HTTP."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import pytest
from pydantic import Field

from agents.fake_model.serving import FakeModel
from agents.isolation import Isolation
from agents.memory_journal import MemoryJournal
from agents.models.base import Message, ProtocolName
from agents.models.openai_chat.registry import Models
from agents.react import Agent, Answered, End, Loop, Stopped
from agents.roles import Accepted, Rejected
from agents.toolbox import Toolbox
from agents.tools.function import ToolResult, tool
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.domain.finding import Ending

Serve = Callable[[str], FakeModel]
Open = Callable[..., Models]
Work = Callable[..., tuple[End, MemoryJournal]]


@tool("shelf.look", effect="read", use_when="stock is asked for", not_when="it is known")
def look(item: str, most: Annotated[int, Field(ge=1)] = 5) -> ToolResult:
    """Look how many there are."""
    return ToolResult(f"{most} of {item}", {"item": item, "count": most})


@tool("shelf.order", effect="unsafe", use_when="stock is short", not_when="it is not")
def order(item: str, count: int) -> ToolResult:
    """Order more."""
    return ToolResult(f"ordered {count} of {item}")


def judged(text: str, *_: object) -> Accepted | Rejected:
    """Any text counts, as a specialist's does."""
    return Accepted(text) if text else Rejected(("The reply is empty.",))


@pytest.fixture
def work(models: Open, no_evidence: Any) -> Generator[Work]:
    """Runs an agent against a server; `journal` goes on from what was stored."""
    isolation, executor = Isolation(), ThreadPoolExecutor(2)

    def run(
        server: FakeModel, protocol: ProtocolName = "text", steps: int = 10, journal: MemoryJournal | None = None
    ) -> tuple[End, MemoryJournal]:
        journal = journal or MemoryJournal()
        agent = Agent(
            model=models(server.url).model("small", protocol=protocol),
            toolbox=Toolbox((look, order), no_evidence, isolation),
            judge=judged,
            opening=(Message("system", "You keep the shelf."), Message("user", "How many bolts?")),
            number=7,
            most_steps=steps,
            seconds=300.0,
            worked=0.0,
        )
        return Loop(agent, journal.steps, journal, SilentTelemetry(), executor).run(), journal

    yield run
    executor.shutdown()
    isolation.close()


def _said(*texts: str) -> str:
    """A script of texts, one for each step."""
    steps = "\n".join(f"      - text: |-\n{_indented(text)}" for text in texts)
    return f"rules:\n  - steps:\n{steps}\n"


def _indented(text: str) -> str:
    return "\n".join(f"          {line}" for line in text.split("\n"))


LOOK = 'Thought: I look.\nAction: shelf.look\nAction Input: {"item": "bolts"}'
ANSWER = "Thought: I know it.\nFinal Answer: 5 bolts [E7.1]"


def test_from_the_opening_to_the_answer(fake_model: Serve, work: Work) -> None:
    """An action is a step like any other: thought, call, observation; the answer is judged as ever."""
    server = fake_model(_said(LOOK, ANSWER))
    end, journal = work(server)
    assert isinstance(end, Answered)
    assert (end.accepted.text, end.ending, end.step.thought) == ("5 bolts [E7.1]", Ending.ANSWER, "I know it.")
    (step,) = journal.steps
    assert (step.thought, step.text, step.calls[0].arguments) == ("I look.", "", {"item": "bolts"})
    assert [(result.ref, result.ok) for result in step.results] == [("E7.1", True)]
    system, user, action, observation = server.requests[1].json()["messages"]
    assert system["content"].startswith("You keep the shelf.\n\n# How to use tools")
    assert user["content"] == "How many bolts?"
    assert action == {
        "role": "assistant",
        "content": 'Thought: I look.\nAction: shelf.look\nAction Input: {"item":"bolts"}',
    }
    assert observation["role"] == "user"
    assert observation["content"].startswith('Observation: <observation ref="E7.1"')


def test_going_on_later_asks_the_same(fake_model: Serve, work: Work) -> None:
    """A transcript rebuilt from stored steps is rendered as the one that grew."""
    whole = fake_model(_said(LOOK, ANSWER))
    _, journal = work(whole)
    resumed = fake_model(_said("Action: never", ANSWER))
    end, _ = work(resumed, journal=MemoryJournal(journal.steps))
    assert isinstance(end, Answered)
    assert resumed.requests[0].json()["messages"] == whole.requests[1].json()["messages"]


def test_what_was_left_out_is_told_with_the_result(fake_model: Serve, work: Work) -> None:
    """Of two actions and an answer the first action counts; liberties in its arguments are named."""
    mixed = (
        "Action: shelf.look\nAction Input: {'item': 'bolts', 'most': '7'}\n"
        'Action: shelf.order\nAction Input: {"item": "bolts", "count": 9}\n'
        "Final Answer: 7 bolts"
    )
    end, journal = work(fake_model(_said(mixed, ANSWER)))
    assert isinstance(end, Answered)
    assert journal.intended == []
    assert [call.tool for step in journal.steps for call in step.calls] == ["shelf.look"]
    shown = journal.steps[0].results[0].shown
    assert "7 of bolts" in shown
    notes = [line for line in shown.splitlines() if line.startswith("Note: ")]
    assert ["only the first was carried out" in note for note in notes] == [True, False, False, False]
    assert "The Final Answer in your reply was left out" in notes[1]
    assert '(it had single quotes); it was read as {"item": "bolts", "most": "7"}' in notes[2]
    assert notes[3] == 'Note: `most`: you sent "7"; it was read as 7.'


def test_an_effect_is_asked_for_again_in_strict_json(fake_model: Serve, work: Work) -> None:
    """Nothing is ordered on arguments that had to be interpreted; the exact call is carried out once."""
    loose = "Action: shelf.order\nAction Input: {'item': 'bolts', 'count': 9}"
    exact = 'Action: shelf.order\nAction Input: {"item": "bolts", "count": 9}'
    server = fake_model(_said(loose, exact, ANSWER))
    end, journal = work(server)
    assert isinstance(end, Answered)
    assert [step.kind for step in journal.steps] == ["reply", "notice", "reply"]
    assert "counts only as strict JSON" in journal.steps[1].text
    assert "ordered 9 of bolts" in journal.steps[2].results[0].shown
    assert len(journal.intended) == 1


def test_a_reply_that_is_neither_is_sent_back_twice(fake_model: Serve, work: Work) -> None:
    """Prose is no answer in this protocol; the third time in a row the agent is stopped."""
    prose = "我来查询一下库存。"
    server = fake_model(_said(prose, prose, prose))
    end, journal = work(server)
    assert isinstance(end, Stopped)
    assert end.ending is Ending.UNPARSABLE
    assert "neither an Action nor a Final Answer" in end.said
    assert [(step.kind, step.text == prose) for step in journal.steps] == [
        ("reply", True),
        ("notice", False),
        ("reply", True),
        ("notice", False),
    ]
    assert "neither an Action nor a Final Answer" in server.requests[1].json()["messages"][-1]["content"]


def test_a_mended_reply_goes_on(fake_model: Serve, work: Work) -> None:
    """Two that are neither, then an action: the count begins anew."""
    end, _ = work(fake_model(_said("Hm.", "Hm.", LOOK, "Hm.", ANSWER)))
    assert isinstance(end, Answered)


def test_a_tool_that_does_not_exist(fake_model: Serve, work: Work) -> None:
    """The names that do are told as an observation."""
    end, journal = work(fake_model(_said('Action: shelf.peek\nAction Input: {"item": "bolts"}', ANSWER)))
    assert isinstance(end, Answered)
    assert "there is no tool `shelf.peek`" in journal.steps[0].results[0].shown
    assert "shelf.look" in journal.steps[0].results[0].shown


def test_the_last_step_is_an_answer(fake_model: Serve, work: Work) -> None:
    """Told that no tool can be used any more, the model answers, with or without the label."""
    server = fake_model(_said(LOOK, "5 bolts, as far as I saw."))
    end, _ = work(server, steps=2)
    assert isinstance(end, Answered)
    assert (end.accepted.text, end.ending) == (
        "The step limit is reached. 5 bolts, as far as I saw.",
        Ending.STEP_LIMIT,
    )
    last = server.requests[1].json()
    assert "No tool can be used any more" in last["messages"][0]["content"]
    assert "stop" not in last


def test_a_run_switches_after_a_refusal(fake_model: Serve, work: Work) -> None:
    """By itself, at the first step; the run does not notice."""
    script = (
        "rules:\n  - when: {tools: [shelf.look]}\n"
        '    reply: {fault: {status: 400, message: "small does not support tools"}}\n'
    )
    server = fake_model(script + _said(LOOK, ANSWER).removeprefix("rules:\n"))
    end, journal = work(server, protocol="auto")
    assert isinstance(end, Answered)
    assert len(journal.steps) == 1
    assert ["tools" in request.json() for request in server.requests] == [True, False, False]


def test_half_a_native_call_in_the_text_is_no_answer(fake_model: Serve, work: Work) -> None:
    """A server that leaves calls in the text: the broken one is asked for again, the whole one is run."""
    broken = '<tool_call>{"name": "shelf.look", "arguments": {"item": "bolts"}</tool_call>'
    whole = '<tool_call>{"name": "shelf__look", "arguments": {"item": "bolts"}}</tool_call>'
    answer = '{"summary": "5 bolts", "evidence": ["E7.1"]}'
    end, journal = work(fake_model(_said(broken, whole, answer)), protocol="native")
    assert isinstance(end, Answered)
    assert [step.kind for step in journal.steps] == ["reply", "notice", "reply"]
    assert "5 of bolts" in journal.steps[2].results[0].shown
