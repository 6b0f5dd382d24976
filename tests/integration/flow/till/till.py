"""Tools that do something to the world, which is a file with a line for each deed; files beside it make them fail."""

import threading
from pathlib import Path
from typing import Any

from agents.errors import ToolError
from agents.tools.function import Happened, NotHappened, Outcome, ToolContext, ToolResult, Unknown, tool


class Killed(BaseException):
    """The worker's process is gone, in the middle of what it does."""


def note(log: str, line: str) -> None:
    """Add a line; one write, so that lines of several threads never mix."""
    with Path(log).open("ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


def trouble(log: str, name: str) -> bool:
    """True when there is a file of this name; it is taken away, so that there is trouble once."""
    path = Path(log).with_name(name)
    found = path.exists()
    path.unlink(missing_ok=True)
    return found


def refund(arguments: Any, data: Any, context: ToolContext) -> ToolResult:
    """Pay back what the call of this key paid, once."""
    line = f"refund {data['paid']} {context.idempotency_key}"
    lines = Path(arguments.log).read_text("utf-8").splitlines()
    if line not in lines:
        note(arguments.log, line)
    if trouble(arguments.log, "kill-refund"):
        raise Killed
    return ToolResult(f"Paid {arguments.item} back.")


def recall(arguments: Any, data: Any, context: ToolContext) -> ToolResult:
    """Call back what was sent."""
    del context
    if trouble(arguments.log, "refuse-recall"):
        raise ToolError("gone", "it has left the house.")
    note(arguments.log, f"recall {arguments.item} {'seen' if data else 'unseen'}")
    if trouble(arguments.log, "break-recall"):
        raise TimeoutError("no answer")
    if trouble(arguments.log, "kill-recall"):
        raise Killed
    return ToolResult(f"Called {arguments.item} back.")


def was_ordered(arguments: Any, context: ToolContext) -> Outcome:
    """Whether the order stands in the file."""
    if trouble(arguments.log, "hide-order"):
        return Unknown("The shop is closed.")
    found = f"order {arguments.item} {context.idempotency_key}" in Path(arguments.log).read_text("utf-8").splitlines()
    return Happened(ToolResult("It was ordered.", {"ordered": arguments.item})) if found else NotHappened()


def cancel_order(arguments: Any, data: Any, context: ToolContext) -> ToolResult:
    """Take an order back."""
    del context
    note(arguments.log, f"unorder {data['ordered'] if data else arguments.item}")
    return ToolResult(f"Took the order of {arguments.item} back.")


@tool("till.pay", effect="keyed", use_when="x", not_when="y", compensate=refund)
def pay(item: str, log: str, context: ToolContext) -> ToolResult:
    """Pay for an item."""
    note(log, f"pay {item} {context.idempotency_key}")
    return ToolResult(f"Paid {item}.", {"paid": item})


@tool("till.send", effect="unsafe", use_when="x", not_when="y", compensate=recall)
def send(item: str, log: str) -> ToolResult:
    """Send an item."""
    note(log, f"send {item}")
    return ToolResult(f"Sent {item}.", {"sent": item})


@tool("till.order", effect="unsafe", use_when="x", not_when="y", verify=was_ordered, compensate=cancel_order)
def order(item: str, log: str, context: ToolContext) -> ToolResult:
    """Order an item."""
    if trouble(log, "slow-order"):
        raise TimeoutError("no answer")
    if not trouble(log, "kill-before-order"):
        note(log, f"order {item} {context.idempotency_key}")
    if trouble(log, "kill-order") or item == "never":
        raise Killed
    return ToolResult(f"Ordered {item}.", {"ordered": item})


@tool("till.tell", effect="unsafe", use_when="x", not_when="y")
def tell(item: str, log: str) -> ToolResult:
    """Tell everybody; that cannot be taken back."""
    note(log, f"tell {item}")
    return ToolResult(f"Told {item}.")


@tool("till.wait", effect="read", use_when="x", not_when="y", seconds=600)
def wait(log: str) -> ToolResult:
    """Wait until there is a file called `gate`."""
    note(log, "wait")
    while not Path(log).with_name("gate").exists():
        threading.Event().wait(0.01)
    return ToolResult("Waited.")
