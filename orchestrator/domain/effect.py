"""The ledger of effects: what was intended before a call started, and how it ended."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from orchestrator.domain.record import Record
from orchestrator.domain.step import Effect

GRACE = timedelta(seconds=10)
"""How long after its deadline a call may still be on its way, where nothing else is said."""

EffectStatus = Literal["intended", "happened", "failed", "unknown"]
"""`intended`: begun, or about to; `happened`; `failed`: it did not happen; `unknown`: its worker saw it end without
learning whether it happened, or a person was asked."""


class EffectIntent(Record):
    """A call with an effect, written down before it starts. `key` = run + subtask + step + call, the same for ever."""

    subtask_id: str
    step: int
    call_id: str
    key: str
    tool: str
    effect: Effect
    arguments: dict[str, Any]
    epoch: int
    deadline: datetime
    """After this moment (and a grace) the worker that began the call has stopped by itself."""
    grace: Annotated[timedelta, Field(ge=timedelta(0))] = GRACE
    """As whoever began the call counts it: a worker with a shorter grace asks no earlier."""
    status: EffectStatus = "intended"
    begun_at: datetime | None = None
    """When this attempt was written down; what was begun last is undone first."""
    attempt: int = 1
    """A call that is begun again has the same key and the next number."""
    trouble: str = ""
    """Why its worker could not tell whether it happened."""
    ticket: str | None = None
    """The ticket that asks a person about this attempt."""

    @property
    def over_at(self) -> datetime:
        """From this moment on nothing of this attempt can be on its way any more."""
        return self.deadline + self.grace


class EffectOutcome(Record):
    """How an intended call ended."""

    subtask_id: str
    step: int
    call_id: str
    status: EffectStatus


def idempotency_key(subtask_id: str, step: int, call_id: str) -> str:
    """Never made of arguments or epoch: a repeated attempt of the same call has the same key."""
    return f"{subtask_id}#{step}.{call_id}"
