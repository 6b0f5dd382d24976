"""The journal: what the loop writes down about its steps, and what it asks before it goes on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.toolbox import Asked, Observed, Uncertain
from orchestrator.domain.step import Step, StepCall
from orchestrator.ports.clock import Deadline


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that is written down and may start now; `begin` is asked at the last moment and raises FencedError."""

    deadline: Deadline
    begin: Callable[[], None]
    repeats: bool = False
    """True: an attempt before this one may have taken effect; that this one was not begun then says nothing."""


@dataclass(frozen=True, slots=True)
class Again:
    """The interrupted call is to be begun again."""


@dataclass(frozen=True, slots=True)
class Later:
    """The interrupted call may still be running elsewhere; look again after this many seconds."""

    seconds: float


class Journal(Protocol):
    """What the loop writes down and asks; every write raises FencedError when the claim is lost."""

    def save(self, step: Step, done: Sequence[Observed | Uncertain]) -> None:
        """Store a step with what came of its calls since the last write."""
        ...

    def intend(self, step: Step, call: StepCall, done: Sequence[Observed | Uncertain]) -> Attempt:
        """Store the same, and that `call`, which has an effect, is about to start."""
        ...

    def begin(self) -> None:
        """The last look before a call starts that has no effect. Raises FencedError when the claim may be lost."""
        ...

    def recover(self, step: Step, call: StepCall, ref: str) -> Observed | Asked | Again | Later:
        """What became of a call that was left open: a person's answer, or what recovery says of it."""
        ...

    def key(self, step: int, call_id: str) -> str:
        """The call's idempotency key."""
        ...

    def lost(self) -> bool:
        """True once the subtask was taken from this worker, or its run cancelled: what only reads is stopped then."""
        ...

    def must_yield(self) -> bool:
        """True when this turn has lasted long enough, or the worker is to stop."""
        ...
