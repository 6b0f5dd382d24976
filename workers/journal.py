"""The journal of a turn: what the loop writes goes through the engine's services, behind the claim's fence."""

import logging
import time
from collections.abc import Callable, Sequence

from agents.errors import ToolError
from agents.journal import Again, Attempt, Later
from agents.toolbox import Asked, Observed, Toolbox, Uncertain
from orchestrator.domain.effect import EffectIntent, idempotency_key
from orchestrator.domain.identity import new_id
from orchestrator.domain.observation import Artifact, Observation
from orchestrator.domain.step import Step, StepCall
from orchestrator.domain.ticket import TicketDraft
from orchestrator.engine.services.claims import Claim
from orchestrator.engine.services.turns import Entries, Turns
from orchestrator.errors import FencedError, StoreError
from orchestrator.ports.blobs import LARGE, Blobs
from orchestrator.ports.clock import Clock, Deadline
from orchestrator.ports.store import Store
from workers.ledger import EffectLedger

log = logging.getLogger(__name__)

PAUSES = (0.05, 0.2, 1.0, 3.0, 5.0, 5.0, 5.0)
"""Seconds between tries to store what has been done; it is never done again because storing it failed."""


class TurnJournal:
    """Writes for one claim. `holds`: the worker's lease is surely its own; `lost`: the claim is gone."""

    def __init__(
        self,
        claim: Claim,
        toolbox: Toolbox,
        *,
        store: Store,
        turns: Turns,
        blobs: Blobs,
        clock: Clock,
        holds: Callable[[], bool],
        must_yield: Callable[[], bool],
        lost: Callable[[], bool] = lambda: False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._claim = claim
        self._toolbox = toolbox
        self._store = store
        self._turns = turns
        self._blobs = blobs
        self._clock = clock
        self._holds = holds
        self._must_yield = must_yield
        self._lost = lost
        self._pause = pause
        self._ledger = EffectLedger(claim, store, clock, toolbox, turns.grace)

    def save(self, step: Step, done: Sequence[Observed | Uncertain]) -> None:
        """Store a step with what came of its calls, and how those with an effect ended."""
        self._write(step, done, self._ledger.entries(step.n, done, {}))

    def intend(self, step: Step, call: StepCall, done: Sequence[Observed | Uncertain]) -> Attempt:
        """Store the same, and the intent of a call that is about to start."""
        until = Deadline.after(self._toolbox.seconds(call))
        entries = self._ledger.entries(step.n, done, {})
        intent = self._ledger.begun(step.n, call)
        self._write(step, done, Entries(entries.outcomes, (*entries.intents, intent)))
        return Attempt(until, lambda: self._begin(intent), self._ledger.repeats(intent))

    def begin(self) -> None:
        """The last look before anything starts; a process that was suspended may have come here late."""
        if not self._holds():
            raise FencedError("the lease may have passed; nothing more is begun", where=self._claim.subtask.id)

    def ask(self, step: Step, done: Sequence[Observed | Uncertain], drafts: Sequence[tuple[str, TicketDraft]]) -> None:
        """Store a step whose calls ask people; the subtask waits as a row."""
        asked = {call_id: (new_id("t", 6), draft) for call_id, draft in drafts}
        entries = self._ledger.entries(step.n, done, asked)
        tickets = [(ticket_id, call_id, draft) for call_id, (ticket_id, draft) in asked.items()]
        observed = _observed(done)
        self._patiently(
            lambda: self._turns.ask(self._claim, step, self._kept(observed), tickets, entries),
            self._is_given_back,
        )

    def key(self, step: int, call_id: str) -> str:
        """The call's idempotency key."""
        return idempotency_key(self._claim.subtask.id, step, call_id)

    def recover(self, step: Step, call: StepCall, ref: str) -> Observed | Asked | Again | Later:
        """A person's answer to the call, or what may be done about an interrupted one."""
        self.begin()
        return self._ledger.recover(step, call, ref)

    def lost(self) -> bool:
        """True once the claim is known to be gone."""
        return self._lost()

    def must_yield(self) -> bool:
        """True when the turn has lasted long enough, or the worker is to stop."""
        return self._must_yield()

    def _begin(self, intent: EffectIntent) -> None:
        """The same for a call with an effect, which is also begun in time or never."""
        self.begin()
        if self._clock.now() >= intent.deadline:
            what = f"the time of {intent.tool} was over before it was begun"
            raise ToolError("no_time", what, hint="Nothing was done; call it again if it is still wanted.")

    def _write(self, step: Step, done: Sequence[Observed | Uncertain], entries: Entries) -> None:
        observed = _observed(done)
        self._patiently(
            lambda: self._turns.save(self._claim, step, self._kept(observed), entries),
            lambda: self._is_stored(step, entries),
        )

    def _patiently(self, write: Callable[[], None], is_stored: Callable[[], bool]) -> None:
        """Write, again and again while the lease lasts: a call that was carried out must not be because of this."""
        for pause in PAUSES:
            try:
                write()
            except StoreError as error:
                if not self._holds():
                    raise
                log.warning("%s: a step is stored in a moment: %s", self._claim.subtask.id, error)
            else:
                return
            self._pause(pause)
            if self._came_through(is_stored):
                return
        write()

    def _came_through(self, is_stored: Callable[[], bool]) -> bool:
        """True when a write was committed although its answer was lost."""
        try:
            return is_stored()
        except StoreError:
            return False

    def _is_stored(self, step: Step, entries: Entries) -> bool:
        stored = next((one for one in self._store.steps(self._claim.subtask.id) if one.n == step.n), None)
        if stored is None or stored.results != step.results:
            return False
        intents = self._store.intents(self._claim.subtask.id, step.n)
        return all(one in intents for one in entries.intents)

    def _is_given_back(self) -> bool:
        now = self._store.subtask(self._claim.subtask.id)
        return now is None or (now.owner, now.epoch) != (self._claim.worker_id, self._claim.subtask.epoch)

    def _kept(self, observed: Sequence[Observed]) -> list[Observation]:
        """Observations as they are stored: large contents and files go to the blob store first."""
        return [self._one_kept(one) for one in observed]

    def _one_kept(self, one: Observed) -> Observation:
        content = one.content.encode()
        large = len(content) > LARGE
        return Observation(
            ref=one.ref,
            tool=one.tool,
            ok=one.ok,
            summary=one.summary,
            content=None if large else one.content,
            blob=self._blobs.put(content) if large else None,
            size=len(content),
            artifacts=tuple(
                Artifact(name=name, blob=self._blobs.put(file), size=len(file)) for name, file in one.artifacts.items()
            ),
        )


def _observed(done: Sequence[Observed | Uncertain]) -> list[Observed]:
    return [one for one in done if isinstance(one, Observed)]
