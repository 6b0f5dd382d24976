"""The journal of a turn: what the loop writes goes through the engine's services, behind the claim's fence."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from agents.react import Again, Later
from agents.toolbox import Asked, Observed, Toolbox, succeeded
from agents.tools.function import ToolResult
from orchestrator.domain.effect import EffectIntent, EffectOutcome, idempotency_key
from orchestrator.domain.finding import Ending
from orchestrator.domain.observation import Artifact, Observation
from orchestrator.domain.step import Step, StepCall
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.recovering import GRACE, question, recovery
from orchestrator.engine.services.claims import Claim
from orchestrator.engine.services.turns import Turns
from orchestrator.ports.blobs import LARGE, Blobs
from orchestrator.ports.clock import Clock
from orchestrator.ports.store import Store
from workers.meter import RunMeter


class TurnJournal:
    """Writes for one claim."""

    def __init__(self, claim: Claim, store: Store, turns: Turns, blobs: Blobs, clock: Clock) -> None:
        self._claim = claim
        self._store = store
        self._turns = turns
        self._blobs = blobs
        self._clock = clock
        self._toolbox: Toolbox | None = None
        self._intended: set[tuple[int, str]] = set()
        self._must_yield: Callable[[], bool] = lambda: False
        self._meter = RunMeter(claim.run, store)
        self._saved = 0

    def attend(self, toolbox: Toolbox, must_yield: Callable[[], bool]) -> None:
        """Tell whose calls are written down, and when the turn has to end."""
        self._toolbox = toolbox
        self._must_yield = must_yield

    def save(self, step: Step, observed: Sequence[Observed]) -> None:
        """Store a complete step with its observations, and how its intended calls ended."""
        self._turns.save(self._claim, step, self.kept(observed), self._outcomes(step))
        self._saved += 1

    def intend(self, step: Step, calls: Sequence[StepCall]) -> None:
        """Store the reply and the intents of its calls with an effect."""
        self._intended.update((step.n, call.id) for call in calls)
        self._turns.intend(self._claim, step, [self._intent(step, call) for call in calls])

    def _intent(self, step: Step, call: StepCall) -> EffectIntent:
        assert self._toolbox is not None
        return EffectIntent(
            subtask_id=self._claim.subtask.id,
            step=step.n,
            call_id=call.id,
            key=self.key(step.n, call.id),
            tool=call.tool,
            effect=self._toolbox.effect(call) or "unsafe",
            arguments=call.arguments,
            epoch=self._claim.subtask.epoch,
            deadline=self._clock.now() + timedelta(seconds=self._toolbox.seconds(call)),
        )

    def _outcomes(self, step: Step) -> list[EffectOutcome]:
        return [
            EffectOutcome(
                subtask_id=self._claim.subtask.id,
                step=step.n,
                call_id=result.call_id,
                status="happened" if result.ok else "failed",
            )
            for result in step.results
            if (step.n, result.call_id) in self._intended
        ]

    def kept(self, observed: Sequence[Observed]) -> list[Observation]:
        """Observations as they are stored: large contents and files go to the blob store first."""
        return [self._kept(one) for one in observed]

    def _kept(self, one: Observed) -> Observation:
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

    def key(self, step: int, call_id: str) -> str:
        """The call's idempotency key."""
        return idempotency_key(self._claim.subtask.id, step, call_id)

    def recover(self, step: Step, call: StepCall, ref: str) -> Observed | Asked | Again | Later:
        """A person's answer to the call, or what may be done about an interrupted one."""
        ticket = self._claim.answers(step.n).get(call.id)
        if ticket is not None:
            return answered(ticket, call, ref)
        intents = {one.call_id: one for one in self._store.intents(self._claim.subtask.id, step.n)}
        intent = intents.get(call.id)
        match recovery(intent, self._clock.now()):
            case "later" if intent is not None:
                return Later((intent.deadline + GRACE - self._clock.now()).total_seconds())
            case "ask" if intent is not None:
                return Asked(call.id, question(call, intent))
            case _:
                self._intended.update((step.n, one) for one in intents)
                return Again()

    def spent(self, used: int) -> Ending | None:
        """The run's own limit that has been reached, counting what this turn used."""
        return self._meter.reached(used, self._saved)

    def must_yield(self) -> bool:
        """True when the turn has lasted long enough, or the worker is to stop."""
        return self._must_yield()


def answered(ticket: Ticket, call: StepCall, ref: str) -> Observed:
    """A person's answer as the observation that the agent goes on with."""
    by = ticket.answered_by.id if ticket.answered_by else "nobody"
    nobody = ticket.answer is None
    summary = f"Nobody answered by {ticket.deadline}." if nobody else f"{by} answered: {ticket.answer}"
    data = {
        "ticket": ticket.id,
        "question": ticket.question,
        "about": ticket.about,
        "answer": ticket.answer,
        "comment": ticket.comment,
        "by": by,
        "status": ticket.status,
    }
    return succeeded(call, ref, ToolResult(summary, data))
