"""A plan's fixed calls are held against the tools before the plan counts."""

from typing import Any

import pytest

from agents.planned_calls import call_fault, tool_called
from agents.tools.function import ToolResult, tool
from agents.tools.registry import load_tool
from orchestrator.domain.plan import PlannedSubtask


@tool(
    "pay",
    effect="unsafe",
    use_when="money is due",
    not_when="it is not",
    preview=lambda given, _: ToolResult(str(given)),
)
def pay(amount: int) -> ToolResult:
    """Pay."""
    return ToolResult(f"Paid {amount}.")


TOOLS = {"calculator": load_tool("calculator"), "till:pay": pay}


def fault(tool_name: str | None, *, mapped: bool = False, **arguments: Any) -> str | None:
    """Why the call cannot be made."""
    planned = {"key": "a", "agent": "finder", "title": "A", "instruction": "x"}
    call = {"tool": tool_name, "arguments": arguments} if tool_name else None
    over = {"items": [1]} if mapped else None
    return call_fault(PlannedSubtask.model_validate({**planned, "call": call, "over": over}), TOOLS)


def test_calls_that_can_be_made() -> None:
    """By the tool's name or as the team's file lists it; without a call there is nothing to say."""
    assert fault(None) is None
    assert fault("calculator", expression="1 + 1") is None
    assert fault("calculator", mapped=True, expression="$item") is None
    assert (tool_called(TOOLS, "pay"), tool_called(TOOLS, "till:pay"), tool_called(TOOLS, "buy")) == (pay, pay, None)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("buy", {}, "Subtask `a` calls `buy`; its agent `finder` has `calculator`, `till:pay`."),
        (
            "pay",
            {"amount": 3},
            "Subtask `a` calls `pay`, which shows first what it would do: leave the call to the agent.",
        ),
        (
            "calculator",
            {"expression": "$item"},
            "Subtask `a` has `$item` in its call, but is not mapped over anything.",
        ),
    ],
)
def test_calls_that_cannot(name: str, arguments: dict[str, Any], said: str) -> None:
    """In a sentence for the planner."""
    assert fault(name, **arguments) == said


def test_wrong_arguments_are_told_as_for_a_call() -> None:
    """What was sent and what is wanted."""
    said = fault("calculator", sum="1 + 1") or ""
    assert said.startswith("Subtask `a`: calculator was not run. ")
    assert "`expression` is missing" in said
