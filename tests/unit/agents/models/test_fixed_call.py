"""A call that a plan fixed is made once, with the item in its places; what it gives is the finding."""

import json
from typing import Any

import pytest

from agents.briefing import Briefing, opening
from agents.catalog import AgentSpec
from agents.errors import ModelRefusedError, ToolError
from agents.models.base import Call, Message, ModelReply, ModelRequest, ToolSpec
from agents.models.fixed_call import awaits_item, filled, fixed_call
from agents.observing import failed, succeeded
from agents.tools.function import ToolResult
from orchestrator.domain.goal import Goal
from orchestrator.domain.plan import FixedCall
from orchestrator.domain.step import StepCall
from orchestrator.ports.clock import Deadline

CALL = FixedCall(tool="web.fetch", arguments={"url": "$item.url", "parts": ["$item.n", 2], "fixed": "$items"})
ITEM = {"url": "http://a", "n": 7}
ARGUMENTS = {"url": "http://a", "parts": [7, 2], "fixed": "$items"}


def asked(*shown: str) -> ModelReply:
    """What the fixed call says after its tool has shown this."""
    agent = AgentSpec(name="reader", kind="specialist")
    start = opening(Briefing("specialist", agent, Goal(text="Compare"), "Read", "Read it.", item=ITEM))
    told: list[Message] = []
    for n, one in enumerate(shown):
        told += [
            Message("assistant", "", (Call(f"c{n}", "web.fetch", ARGUMENTS),)),
            Message("tool", one, call_id=f"c{n}"),
        ]
    tools = (ToolSpec("web.fetch", "Fetch.", {}),)
    request = ModelRequest((*start, *told), tools, len(shown) + 1, Deadline.after(5))
    return fixed_call(CALL, "web.fetch").complete(request)


def gone(*, retryable: bool) -> str:
    """What a failed call shows."""
    call = StepCall(id="c0", tool="web.fetch")
    return failed(call, "E2.1", ToolError("gone", "the page is gone", retryable=retryable)).shown


def test_it_calls_with_the_item_in_its_places() -> None:
    """Only a whole value is a place: a text that merely contains the word stays as it is."""
    reply = asked()
    assert [(call.tool, call.arguments) for call in reply.calls] == [("web.fetch", ARGUMENTS)]
    assert (reply.usage.input_tokens, reply.usage.cost) == (0, "0")


def test_what_the_tool_gives_is_the_finding() -> None:
    """Its summary with the number, its data, the observation as result and evidence, and its files."""
    shown = succeeded(
        StepCall(id="c0", tool="web.fetch"),
        "E2.1",
        ToolResult("A page.", {"title": "A"}, artifacts={"a.html": b"x"}),
        readable=False,
    ).shown
    assert json.loads(asked(shown).text) == {
        "summary": "A page. [E2.1]",
        "data": {"title": "A"},
        "evidence": ["E2.1"],
        "result": "E2.1",
        "artifacts": ["E2.1/a.html"],
    }


def test_a_failure_is_said_and_only_one_that_may_pass_is_tried_again() -> None:
    """Twice at most."""
    assert json.loads(asked(gone(retryable=False)).text)["status"] == "failed"
    assert [call.arguments for call in asked(gone(retryable=True)).calls] == [ARGUMENTS]
    said = json.loads(asked(gone(retryable=True), gone(retryable=True)).text)
    assert said == {"status": "failed", "summary": "`web.fetch` failed: the page is gone", "evidence": ["E2.1"]}


@pytest.mark.parametrize("item", [None, "B1", {"other": 1}, [1]])
def test_an_item_without_the_field_is_refused(item: Any) -> None:
    """In one line that names the field."""
    with pytest.raises(ModelRefusedError, match="the item has no `url`"):
        filled({"url": "$item.url"}, item)


@pytest.mark.parametrize(
    ("value", "waits"),
    [("$item", True), ("$item.a.b", True), ("$items", False), ("a $item", False), ({"a": ["$item"]}, True), (3, False)],
)
def test_places_for_the_item(value: Any, waits: bool) -> None:
    """At any depth."""
    assert awaits_item(value) is waits
    assert filled({"a": "$item.x.y"}, {"x": {"y": [1]}}) == {"a": [1]}
