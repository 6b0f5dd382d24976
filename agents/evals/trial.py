"""A trial: one run of a case, told by what it left in the store."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from orchestrator.domain.record import Record
from orchestrator.domain.run import RunState
from orchestrator.domain.step import Effect
from orchestrator.domain.ticket import Ticket

TrialState = RunState | Literal["late"]
"""`late`: it was not waited for any longer, and cancelled."""


class MadeCall(Record):
    """A call as an agent made it."""

    agent: str
    tool: str
    arguments: Mapping[str, Any] = {}
    ok: bool | None = None
    """None: it is still open, because it waits for a person."""
    effect: Effect = "read"

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        shown = given if len(given) <= 100 else given[:99] + "…"
        return f"{self.tool}({shown})" + (" failed" if self.ok is False else "")


class Trial(Record):
    """What a run did with the goal of a case."""

    state: TrialState
    reason: str = ""
    run: str | None = None
    answer: str = ""
    documents: tuple[Mapping[str, Any], ...] = ()
    """The structured result, then the data of each finding."""
    calls: tuple[MadeCall, ...] = ()
    """In the order in which they were made."""
    tickets: tuple[Ticket, ...] = ()
    unsupported: tuple[str, ...] = ()
    """Each figure, quote or sum of the answer that has no source, in a sentence."""
    models: tuple[str, ...] = ()
    tokens: int = 0
    steps: int = 0
    """Replies of models."""
    worked: float = 0.0
    """Seconds that all subtasks worked together."""
    seconds: float = 0.0
    """Seconds from handing the goal in to its end."""
    cost: Decimal | None = None
    """US dollars; None: a model has no known price."""
