"""Turns: everything a worker writes while it works on a subtask, each write behind the claim's fence."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from orchestrator.domain.budget import Refusal
from orchestrator.domain.changes import (
    BreakOff,
    Change,
    CloseIntents,
    Fence,
    GiveUp,
    SaveIntents,
    SaveStep,
    Wait,
    Yield,
)
from orchestrator.domain.effect import GRACE, EffectIntent, EffectOutcome
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.identity import new_id
from orchestrator.domain.observation import Observation
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import Subtask
from orchestrator.domain.ticket import TicketDraft
from orchestrator.engine import escalating
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.claims import Claim, last_step
from orchestrator.engine.services.ending import Endings
from orchestrator.engine.spreading import BATCH
from orchestrator.errors import ConflictError, FencedError
from orchestrator.ports.clock import Clock
from orchestrator.ports.store import Held, Store

MOST_TRIES = 4
"""How often a subtask is put off because something outside does not answer."""


@dataclass(frozen=True, slots=True)
class Entries:
    """What a write says in the ledger of effects: how calls ended, and which begin or remain unknown."""

    outcomes: tuple[EffectOutcome, ...] = ()
    intents: tuple[EffectIntent, ...] = ()

    def changes(self) -> list[Change]:
        """The same as changes."""
        closed: list[Change] = [CloseIntents(self.outcomes)] if self.outcomes else []
        return [*closed, SaveIntents(self.intents)] if self.intents else closed


class Turns:
    """What a worker may do with what it claimed. Every method raises FencedError when the claim is lost."""

    def __init__(
        self, store: Store, applier: Applier, endings: Endings, clock: Clock, grace: timedelta = GRACE
    ) -> None:
        """`grace`: how long after its deadline a call that is begun here may still be on its way."""
        self._store = store
        self._applier = applier
        self._endings = endings
        self._clock = clock
        self.grace = grace

    def save(
        self, claim: Claim, step: Step, observations: Sequence[Observation] = (), entries: Entries | None = None
    ) -> None:
        """Write down a step, how its calls with an effect ended, and which is about to start."""
        changes: list[Change] = [SaveStep(claim.subtask.id, step, tuple(observations))]
        self._applier.apply([*changes, *(entries.changes() if entries else ())], claim.fence(step.n))

    def ask(
        self,
        claim: Claim,
        step: Step,
        observations: Sequence[Observation],
        asked: Sequence[tuple[str, str, TicketDraft]],
        entries: Entries,
    ) -> None:
        """Write down a step whose calls ask people (ticket id, call id, question), and wait as a row."""
        changes: list[Change] = [SaveStep(claim.subtask.id, step, tuple(observations)), *entries.changes()]
        for ticket_id, call_id, draft in asked:
            asking = escalating.Asking(claim.subtask, step.n, call_id)
            changes += escalating.opened(draft, ticket_id, asking, self._clock.now())
        self._applier.apply([*changes, Wait(claim.subtask.id)], claim.fence(step.n))

    def give_back(self, claim: Claim, seconds: float = 0.0) -> None:
        """Give the worker back; the subtask is ready again, at once or after some seconds."""
        change = Wait(claim.subtask.id, self._clock.now() + timedelta(seconds=seconds)) if seconds else None
        self._applier.apply([change or Yield(claim.subtask.id)], claim.fence(last_step(self._store, claim)))

    def broke(self, claim: Claim, why: str) -> None:
        """Give the subtask back because something of ours broke; after some times a person is asked."""
        change = self._broken(claim.subtask, why)
        self._applier.apply([change], claim.fence(last_step(self._store, claim)))

    def give_back_stray(self, held: Held) -> None:
        """Give back a subtask that its worker holds without a turn."""
        now = self._store.subtask(held.subtask_id)
        if now is None:
            return
        fence = Fence(held.subtask_id, held.owner, held.epoch, now.step)
        with suppress(FencedError):
            self._applier.apply([self._broken(now, "Its worker could not write down how its turn ended.")], fence)

    def give_up(self, held: Held) -> bool:
        """Leave a subtask to others because its worker ends before the turn does; False when it was not held."""
        try:
            self._applier.apply([GiveUp(held.subtask_id, held.owner, held.epoch)])
        except ConflictError:
            return False
        return True

    def _broken(self, subtask: Subtask, why: str) -> BreakOff:
        return BreakOff(subtask.id, why, self._clock.now() + escalating.pause(subtask.deaths))

    def put_off(self, claim: Claim, why: str, at_least: float = 0.0) -> None:
        """Try again later because something outside does not answer; after some tries in a row the subtask fails."""
        now = self._store.subtask(claim.subtask.id) or claim.subtask  # what did not answer may have, since the claim
        if now.tries >= MOST_TRIES:
            self._endings.end(claim, Finding(status="failed", ending=Ending.MODEL_UNAVAILABLE, text=why))
            return
        wake_at = self._clock.now() + timedelta(seconds=max(5 * 4**now.tries, at_least))
        self._applier.apply([Wait(now.id, wake_at, put_off=True)], claim.fence(now.step))

    def await_more(self, claim: Claim, refusal: Refusal) -> None:
        """Wait as a row until a person has decided about a limit of the run; the first subtask at it asks."""
        at = last_step(self._store, claim)
        change = escalating.more_wanted(
            refusal, new_id("t", 6), escalating.Asking(claim.subtask, at), self._clock.now()
        )
        self._applier.apply([change], claim.fence(at))

    def spread(self, claim: Claim) -> None:
        """Work on a mapped subtask: spread it over its items, or join what its children found."""
        self._endings.spread(claim, BATCH)

    def end(self, claim: Claim, finding: Finding, step: Step | None = None) -> None:
        """End the subtask with its finding, and let the stations decide what follows."""
        self._endings.end(claim, finding, step)
