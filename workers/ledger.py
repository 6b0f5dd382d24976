"""The ledger of effects as a turn keeps it: what is written of calls with an effect, and what became of open ones."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from agents.errors import ToolError
from agents.journal import Again, Later
from agents.toolbox import Asked, Observed, Toolbox, Uncertain, failed, succeeded
from agents.tools.function import NotHappened, ToolResult
from orchestrator.domain.counting import counted
from orchestrator.domain.effect import GRACE, EffectIntent, EffectOutcome, EffectStatus, idempotency_key
from orchestrator.domain.step import Step, StepCall
from orchestrator.domain.ticket import Ticket, TicketDraft
from orchestrator.engine.recovering import decided, not_happened, question, recovery
from orchestrator.engine.services.claims import Claim
from orchestrator.engine.services.turns import Entries
from orchestrator.ports.clock import Clock, Deadline
from orchestrator.ports.store import Store


class EffectLedger:
    """Keeps what this turn knows of its calls with an effect; used by one thread."""

    def __init__(self, claim: Claim, store: Store, clock: Clock, toolbox: Toolbox, grace: timedelta = GRACE) -> None:
        self._claim = claim
        self._store = store
        self._clock = clock
        self._toolbox = toolbox
        self._grace = grace
        self._open: dict[tuple[int, str], EffectIntent] = {}
        self._found: dict[tuple[int, str], EffectStatus] = {}
        self._repeated: set[tuple[int, str]] = set()

    def begun(self, step: int, call: StepCall) -> EffectIntent:
        """A new attempt at the call, to be written down before it starts."""
        before, now = self._open.get((step, call.id)), self._clock.now()
        intent = EffectIntent(
            subtask_id=self._claim.subtask.id,
            step=step,
            call_id=call.id,
            key=idempotency_key(self._claim.subtask.id, step, call.id),
            tool=call.tool,
            effect=self._toolbox.effect(call) or "unsafe",
            arguments=dict(self._toolbox.intention(call) or call.arguments),
            epoch=self._claim.subtask.epoch,
            begun_at=now,
            deadline=now + timedelta(seconds=self._toolbox.seconds(call)),
            grace=self._grace,
            attempt=before.attempt + 1 if before else 1,
        )
        self._open[step, call.id] = intent
        return intent

    def repeats(self, intent: EffectIntent) -> bool:
        """True when an attempt before this one may have taken effect."""
        return (intent.step, intent.call_id) in self._repeated

    def entries(
        self, step: int, done: Sequence[Observed | Uncertain], asked: Mapping[str, tuple[str, TicketDraft]]
    ) -> Entries:
        """What is to be written of calls that ended or are asked about; `asked`: call id → ticket id and question."""
        outcomes: list[EffectOutcome] = []
        intents: list[EffectIntent] = []
        for one in done:
            intent = self._open.pop((step, one.call_id), None)
            if intent is not None and isinstance(one, Uncertain):
                intents.append(intent.model_copy(update={"status": "unknown", "trouble": one.why}))
            elif intent is not None and isinstance(one, Observed):
                told: EffectStatus = "happened" if one.ok else "failed"
                outcomes.append(_outcome(intent, self._found.pop((step, one.call_id), told)))
        for call_id, (ticket_id, draft) in asked.items():
            intent = self._open.pop((step, call_id), None)
            if intent is not None and draft.topic == "effect":
                intents.append(intent.model_copy(update={"status": "unknown", "ticket": ticket_id}))
            elif intent is not None:
                outcomes.append(_outcome(intent, "failed"))
        return Entries(tuple(outcomes), tuple(intents))

    def recover(self, step: Step, call: StepCall, ref: str) -> Observed | Asked | Again | Later:
        """A person's answer to the call, or what may be done about one of which nobody stored how it ended."""
        ticket = self._claim.answers(step.n).get(call.id)
        if ticket is not None and ticket.topic != "effect":
            return answered(ticket, call, ref)
        stored = self._store.intents(self._claim.subtask.id, step.n)
        intent = next((one for one in stored if one.call_id == call.id), None)
        if intent is None:
            return Again()
        self._open[step.n, call.id] = intent
        return self._begun_before(intent, call, ref) if intent.ticket is None else self._decided(intent, call, ref)

    def _begun_before(self, intent: EffectIntent, call: StepCall, ref: str) -> Observed | Asked | Again | Later:
        """What may be done about a call that was begun and of which nobody was asked yet."""
        match recovery(intent, self._clock.now()):
            case "again" if self._toolbox.intention(call) is None:
                return Asked(call.id, question(call, intent, "The tool is gone, or takes other arguments now."))
            case "again":
                self._repeated.add((intent.step, intent.call_id))
                return Again()
            case "later":
                return Later((intent.over_at - self._clock.now()).total_seconds())
            case "give_up":
                return self._given_up(intent, call, ref)
            case "find_out":
                return self._found_out(intent, call, ref)

    def _found_out(self, intent: EffectIntent, call: StepCall, ref: str) -> Observed | Asked | Again:
        """Ask the tool; a person where it cannot tell."""
        found = self._toolbox.find_out(call, ref, Deadline.after(self._toolbox.seconds(call)), intent.key)
        if isinstance(found, Observed):
            self._found[intent.step, call.id] = "happened"
            return found
        if isinstance(found, NotHappened):
            return Again() if not_happened(intent) == "again" else self._never_happened(intent, call, ref)
        return Asked(call.id, question(call, intent, found.why))

    def _decided(self, intent: EffectIntent, call: StepCall, ref: str) -> Observed | Again:
        """Go on as a person decided about this very attempt."""
        ticket = next((one for one in self._claim.tickets if one.id == intent.ticket), None)
        match decided(ticket.answer if ticket else None):
            case "again":
                return Again()
            case "happened" if ticket is not None:
                self._found[intent.step, call.id] = "happened"
                said = f"{_by(ticket)} confirmed that {call.tool} happened. {ticket.comment}".strip()
                return succeeded(call, ref, ToolResult(said, _about(ticket)))
            case _:
                what = f"it is not known whether {call.tool} took effect, and a person decided to do without it"
                hint = f"Do not call it again for this; go on without it. {ticket.comment if ticket else ''}"
                return self._unknown(intent, call, ref, what, hint.strip())

    def _given_up(self, intent: EffectIntent, call: StepCall, ref: str) -> Observed:
        what = f"{call.tool} was begun {counted(intent.attempt, 'time')}, and it is not known whether it took effect"
        why = f": {intent.trouble}" if intent.trouble else ""
        return self._unknown(intent, call, ref, what + why, "Calling it again does no harm; or go on without it.")

    def _never_happened(self, intent: EffectIntent, call: StepCall, ref: str) -> Observed:
        what = f"{call.tool} was begun {counted(intent.attempt, 'time')} and did not happen"
        why = f": {intent.trouble}" if intent.trouble else ""
        return failed(call, ref, ToolError("did_not_happen", what + why, hint="Go on without it, or ask a person."))

    def _unknown(self, intent: EffectIntent, call: StepCall, ref: str, what: str, hint: str) -> Observed:
        self._found[intent.step, call.id] = "unknown"
        return failed(call, ref, ToolError("outcome_unknown", what, hint=hint))


def _outcome(intent: EffectIntent, status: EffectStatus) -> EffectOutcome:
    return EffectOutcome(subtask_id=intent.subtask_id, step=intent.step, call_id=intent.call_id, status=status)


def answered(ticket: Ticket, call: StepCall, ref: str) -> Observed:
    """A person's answer as the observation that the agent goes on with."""
    nobody = ticket.answer is None
    summary = f"Nobody answered by {ticket.deadline}." if nobody else f"{_by(ticket)} answered: {ticket.answer}"
    return succeeded(call, ref, ToolResult(summary, {**_about(ticket), "about": ticket.about}))


def _by(ticket: Ticket) -> str:
    return ticket.answered_by.id if ticket.answered_by else "nobody"


def _about(ticket: Ticket) -> dict[str, str | None]:
    return {
        "ticket": ticket.id,
        "question": ticket.question,
        "answer": ticket.answer,
        "comment": ticket.comment,
        "by": _by(ticket),
        "status": ticket.status,
    }
