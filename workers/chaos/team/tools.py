"""The tools of the proof: one of each effect, all of them requests to the ledger, which knows what really happened."""

import http.client
import json
import os
from typing import Any

from agents.errors import ToolError
from agents.tools.function import Compensate, Happened, NotHappened, Outcome, ToolContext, ToolResult, Unknown, tool

SECONDS = 2.0
"""How long a call may take. Nobody looks after one before this and a grace have passed."""
BACK = "/back"
"""Added to the key of a call for the request that undoes it."""


def _asked(what: str, ledger: str, number: int, context: ToolContext, suffix: str = "") -> dict[str, Any]:
    """The ledger's answer to a request."""
    body = {"number": number, "key": context.idempotency_key + suffix, "pid": os.getpid()}
    connection = http.client.HTTPConnection(ledger, timeout=max(0.05, context.deadline.left()))
    try:
        connection.request("POST", f"/{what}", json.dumps(body))
        return json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        what = f"the ledger did not answer: {type(error).__name__}"
        raise ToolError("outside", what, retryable=True) from error
    finally:
        connection.close()


def _sent(arguments: Any, context: ToolContext) -> Outcome:
    try:
        happened = _asked("happened", arguments.ledger, arguments.number, context)["happened"]
    except ToolError as error:
        return Unknown(error.what)
    return Happened(ToolResult("It is sent.", {"number": arguments.number})) if happened else NotHappened()


def _taken_back(what: str) -> Compensate:
    def take_back(arguments: Any, data: Any, context: ToolContext) -> ToolResult:
        del data
        _asked(f"un{what}", arguments.ledger, arguments.number, context, BACK)
        return ToolResult("It is undone.")

    return take_back


@tool("chaos.look", effect="read", use_when="a price is wanted", not_when="it is known", seconds=SECONDS)
def look(ledger: str, number: int, turn: int, context: ToolContext) -> ToolResult:
    """Look up what an order costs."""
    del turn
    price = _asked("look", ledger, number, context)["price"]
    return ToolResult(f"It costs {price}.", {"number": number, "price": price})


@tool(
    "chaos.put",
    effect="idempotent",
    use_when="an order is to be filed",
    not_when="it is filed",
    seconds=SECONDS,
    compensate=_taken_back("put"),
)
def put(ledger: str, number: int, turn: int, context: ToolContext) -> ToolResult:
    """File an order; to file it again changes nothing."""
    del turn
    _asked("put", ledger, number, context)
    return ToolResult("It is filed.", {"number": number})


@tool(
    "chaos.pay",
    effect="keyed",
    use_when="an order is to be paid",
    not_when="it is paid",
    seconds=SECONDS,
    compensate=_taken_back("pay"),
)
def pay(ledger: str, number: int, turn: int, context: ToolContext) -> ToolResult:
    """Pay an order; the ledger pays once for each key."""
    del turn
    _asked("pay", ledger, number, context)
    return ToolResult("It is paid.", {"number": number})


@tool(
    "chaos.send",
    effect="unsafe",
    use_when="an order is to go out",
    not_when="it did",
    seconds=SECONDS,
    isolated=True,
    verify=_sent,
    compensate=_taken_back("send"),
)
def send(ledger: str, number: int, turn: int, context: ToolContext) -> ToolResult:
    """Send an order, in a process of its own; the ledger can be asked whether it was."""
    del turn
    _asked("send", ledger, number, context)
    return ToolResult("It is sent.", {"number": number})


@tool(
    "chaos.post",
    effect="unsafe",
    use_when="a bill is to go out",
    not_when="it did",
    seconds=SECONDS,
    compensate=_taken_back("post"),
)
def post(ledger: str, number: int, turn: int, context: ToolContext) -> ToolResult:
    """Post a bill; only a person can find out whether it was."""
    del turn
    _asked("post", ledger, number, context)
    return ToolResult("It is posted.", {"number": number})


@tool("chaos.add", effect="read", use_when="prices are to be added up", not_when="there are none")
def add(prices: list[int], carried: list[int], word: str) -> ToolResult:
    """Add up prices."""
    data = {"total": sum(prices), "prices": prices, "carried": carried, "word": word}
    listed = "".join(f"{price}\n" for price in prices)
    return ToolResult(f"The sum is {sum(prices)}.", data, artifacts={"prices.txt": listed.encode()})
