"""The tools and the playbooks of the shop; the world is a file with a line for each deed."""

from pathlib import Path
from typing import Any

from agents.errors import ToolError
from agents.models.playbook import Action, View, answer, use
from agents.tools.function import ToolContext, ToolResult, tool


def note(log: str, line: str) -> None:
    """Add a line."""
    with Path(log).open("ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


def refund(arguments: Any, data: Any, context: ToolContext) -> ToolResult:
    """Pay back what was paid."""
    del arguments, context
    note(data["log"], f"refund {data['amount']}")
    return ToolResult(f"Paid {data['amount']} back.")


def recall(arguments: Any, data: Any, context: ToolContext) -> ToolResult:
    """Call the parcel back, while it is in the house."""
    del data, context
    if Path(arguments.log).with_name("gone").exists():
        raise ToolError("gone", "the parcel has left the house.")
    note(arguments.log, "recall")
    return ToolResult("Called it back.")


@tool("shop.pay", effect="keyed", use_when="something is bought", not_when="it was paid", compensate=refund)
def pay(amount: str, log: str) -> ToolResult:
    """Pay an amount."""
    note(log, f"pay {amount}")
    return ToolResult(f"Paid {amount}.", {"amount": amount, "log": log})


@tool("shop.send", effect="unsafe", use_when="it was paid", not_when="it was sent", compensate=recall)
def send(log: str) -> ToolResult:
    """Send a parcel."""
    note(log, "send")
    return ToolResult("Sent it.")


def plan(view: View) -> Action:
    """One subtask."""
    del view
    return answer({"subtasks": [{"key": "buy", "agent": "clerk", "title": "Buy", "instruction": "Buy it."}]})


def work(view: View) -> Action:
    """Pay, send, and ask whether all is well."""
    log = view.briefing["goal"]["parameters"]["log"]
    return [
        use("shop.pay", "First.", amount="12.50", log=log),
        use("shop.send", "Then.", log=log),
        use("escalate", "Only a person knows.", question="Is all well?", answer_type="text"),
    ]


def never(view: View) -> Action:
    """Nobody comes this far."""
    raise AssertionError(view)
