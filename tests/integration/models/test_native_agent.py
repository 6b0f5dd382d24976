"""A whole agent with native tool calls, from its opening to its end, over real HTTP."""

import json
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agents.errors import ToolError
from agents.fake_model.serving import FakeModel
from agents.isolation import Isolation
from agents.memory_journal import MemoryJournal
from agents.models.base import Message
from agents.models.openai_chat.registry import Models
from agents.react import Agent, Answered, End, Loop, Stopped
from agents.roles import Known, specialist
from agents.toolbox import Toolbox
from agents.tools.function import ToolContext, ToolResult, tool
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.domain.finding import Ending

Serve = Callable[[str], FakeModel]
Open = Callable[..., Models]
Work = Callable[..., tuple[End, MemoryJournal]]
SEEN = {"bolts": 5, "nuts": 70}


@tool("shelf.look", effect="read", use_when="stock is asked for", not_when="it is known")
def look(item: str) -> ToolResult:
    """Look how many there are."""
    if item not in SEEN:
        raise ToolError("unknown_item", f"there is no {item}", hint="Ask for bolts.")
    return ToolResult(f"{SEEN[item]} of {item}", {"item": item, "count": SEEN[item], "note": "x" * 900})


def shown_first(arguments: Any, context: ToolContext) -> ToolResult:
    """Say what would be ordered."""
    del context
    return ToolResult(f"{arguments.count} of {arguments.item} would be ordered")


@tool("shelf.order", effect="unsafe", use_when="stock is short", not_when="it is not", preview=shown_first)
def order(item: str, count: int) -> ToolResult:
    """Order more."""
    return ToolResult(f"ordered {count} of {item}")


@pytest.fixture
def work(models: Open, no_evidence: Any) -> Generator[Work]:
    """Runs an agent against a server."""
    isolation, executor = Isolation(), ThreadPoolExecutor(2)

    def run(server: FakeModel, steps: int = 10, context: int = 100_000) -> tuple[End, MemoryJournal]:
        journal = MemoryJournal()
        known = Known(
            lambda: frozenset(journal.observed),
            frozenset,
            lambda: {ref: json.loads(one.content) for ref, one in journal.observed.items()},
            "How many bolts?",
        )
        agent = Agent(
            model=models(server.url).model("small", protocol="native"),
            toolbox=Toolbox((look, order), no_evidence, isolation),
            judge=specialist(known),
            opening=(Message("system", "You keep the shelf."), Message("user", "How many bolts?")),
            number=7,
            most_steps=steps,
            seconds=300.0,
            worked=0.0,
            context=context,
        )
        return Loop(agent, (), journal, SilentTelemetry(), executor).run(), journal

    yield run
    executor.shutdown()
    isolation.close()


LOOK = "{calls: [{tool: shelf.look, arguments: {item: bolts}}]}"
NUTS = "{calls: [{tool: shelf.look, arguments: {item: nuts}}]}"
ANSWER = '{text: "5 bolts [E7.1]"}'


def steps(*replies: str) -> str:
    """A script of replies, one for each step."""
    return "rules:\n  - steps:\n" + "\n".join(f"      - {reply}" for reply in replies)


def test_what_is_said_beside_a_call_is_its_thought(fake_model: Serve, work: Work) -> None:
    """It is stored as such, goes back as the text that it was, and no argument is added for it."""
    said = "{text: I count them., calls: [{tool: shelf.look, arguments: {item: bolts}}]}"
    server = fake_model(steps(said, ANSWER))
    end, journal = work(server)
    assert isinstance(end, Answered)
    assert journal.steps[0].thought == "I count them."
    second = server.requests[1].json()
    assert second["messages"][2]["content"] == "I count them."
    assert "thought" not in second["tools"][0]["function"]["parameters"]["properties"]


def test_where_nothing_is_said_beside_a_call_the_thought_is_an_argument(fake_model: Serve, work: Work) -> None:
    """Asked for from the second call on; stored as the thought, never given to the tool, shown back where it stood."""
    thought = "{calls: [{tool: shelf.look, arguments: {thought: Now the nuts., item: nuts}}]}"
    server = fake_model(steps(LOOK, thought, ANSWER))
    end, journal = work(server)
    assert isinstance(end, Answered)
    assert [(step.thought, step.calls[0].arguments) for step in journal.steps] == [
        ("", {"item": "bolts"}),
        ("Now the nuts.", {"item": "nuts"}),
    ]
    assert [result.ok for step in journal.steps for result in step.results] == [True, True]
    first, second, third = (request.json() for request in server.requests)
    assert [list(one["tools"][0]["function"]["parameters"]["properties"]) for one in (first, second, third)] == [
        ["item"],
        ["thought", "item"],
        ["thought", "item"],
    ]
    assert second["tools"][0]["function"]["parameters"]["required"] == ["thought", "item"]
    sent = third["messages"][4]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"thought": "Now the nuts.", "item": "nuts"}


def test_a_failure_beside_a_success_loses_neither(fake_model: Serve, work: Work) -> None:
    """Two calls of one reply: each result stands under its own id, in their order."""
    both = "{calls: [{tool: shelf.look, arguments: {item: gold}}, {tool: shelf.look, arguments: {item: bolts}}]}"
    server = fake_model(steps(both, '{text: "5 bolts [E7.2]"}'))
    end, journal = work(server)
    assert isinstance(end, Answered)
    assert [(result.ref, result.ok) for result in journal.steps[0].results] == [("E7.1", False), ("E7.2", True)]
    _, _, said, failed, found = server.requests[1].json()["messages"]
    assert [call["id"] for call in said["tool_calls"]] == [failed["tool_call_id"], found["tool_call_id"]]
    assert "Ask for bolts." in failed["content"]
    assert '"count":5' in found["content"].replace(": ", ":")


def test_the_last_step_has_no_tools_and_its_calls_are_not_made(fake_model: Serve, work: Work) -> None:
    """A server that hands out calls all the same is told; what it says then is a partial finding."""
    server = fake_model(steps(LOOK, NUTS, ANSWER))
    end, journal = work(server, steps=2)
    assert isinstance(end, Answered)
    assert (end.ending, end.accepted.finding(end.ending).status) == (Ending.STEP_LIMIT, "partial")
    assert ["tools" in request.json() for request in server.requests] == [True, False, False]
    assert list(journal.observed) == ["E7.1"]
    assert "No tool can be used any more" in server.requests[2].json()["messages"][-1]["content"]


def test_no_progress_is_told_and_then_stopped(fake_model: Serve, work: Work) -> None:
    """The second time beside the observation, the third time as the end, with the diagnosis and what is known."""
    server = fake_model(steps(LOOK, LOOK, LOOK, ANSWER))
    end, _ = work(server)
    assert isinstance(end, Stopped)
    assert end.ending is Ending.NO_PROGRESS
    assert end.said.startswith("No progress. shelf.look was called in 3 steps with the same arguments")
    assert "- 5 of bolts" in end.said
    assert "use another tool (shelf.order)" in server.requests[2].json()["messages"][-1]["content"]


def test_an_overflow_at_the_server_shortens_and_goes_on(fake_model: Serve, work: Work) -> None:
    """The same step is asked again with the older results as one line each, every pair of call and result whole."""
    script = steps(LOOK, NUTS, LOOK, '{text: "5 bolts [E7.1]"}')
    refusal = "{fault: {status: 400, message: This model's maximum context length is 900 tokens}}"
    server = fake_model(script.replace("rules:\n", f"rules:\n  - {{when: {{request: 4}}, reply: {refusal}}}\n"))
    end, journal = work(server)
    assert isinstance(end, Answered)
    assert end.ending is Ending.ANSWER
    assert [step.shortens_to for step in journal.steps] == [0, 0, 0, 1]
    before, after = (request.json()["messages"] for request in server.requests[3:])
    assert [one["role"] for one in after] == [*(one["role"] for one in before), "user"]
    assert len(after[3]["content"]) < 300 < len(before[3]["content"])
    assert after[3]["tool_call_id"] == before[3]["tool_call_id"]
    assert after[5]["content"] == before[5]["content"]


def test_an_unsafe_tool_shows_first_what_it_would_do(fake_model: Serve, work: Work) -> None:
    """The same call again has it done, once."""
    call = "{calls: [{tool: shelf.order, arguments: {item: nuts, count: 2}}]}"
    server = fake_model(steps(call, call, '{text: "Ordered 2 nuts [E7.2]."}'))
    end, journal = work(server)
    assert isinstance(end, Answered)
    assert [one.summary for one in journal.observed.values()] == [
        "Preview, nothing was done yet. To have it done, repeat the same call. 2 of nuts would be ordered",
        "ordered 2 of nuts",
    ]
    assert journal.intended == [(2, "c2.0")]


def test_a_figure_that_was_not_observed_is_sent_back_once(fake_model: Serve, work: Work) -> None:
    """With the list; what it says then is left to the reviewer."""
    wrong = '{text: "{\\"summary\\": \\"6 bolts [E7.1]\\", \\"data\\": {\\"boxes\\": 38}}"}'
    server = fake_model(steps(LOOK, wrong, wrong))
    end, _ = work(server)
    assert isinstance(end, Answered)
    told = server.requests[2].json()["messages"][-1]["content"]
    assert "6 is not in E7.1; the evidence has 5." in told
    assert "`data.boxes`: 38 stands in nothing that you observed or were given." in told
    assert len(server.requests) == 3
