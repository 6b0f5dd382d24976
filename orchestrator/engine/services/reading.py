"""Reading: what the faces show of runs and tickets."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from orchestrator.domain.changes import CancelRun, Change, Note
from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.run import Run, RunState, state
from orchestrator.domain.step import ModelUsage, Step
from orchestrator.domain.subtask import Status, Subtask
from orchestrator.domain.ticket import Ticket
from orchestrator.engine import undoing
from orchestrator.engine.services.applying import Applier
from orchestrator.errors import ConflictError, InputError
from orchestrator.ports.store import AuditEntry, Store


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands."""

    run: Run
    state: RunState
    subtasks: Sequence[Subtask]
    tickets: Sequence[Ticket]
    usage: Sequence[ModelUsage]


@dataclass(frozen=True, slots=True)
class Work:
    """One subtask with all that is written of it."""

    subtask: Subtask
    steps: Sequence[Step]
    finding: Finding | None


class Reader:
    """Reads runs, and cancels them."""

    def __init__(self, store: Store, applier: Applier) -> None:
        self._store = store
        self._applier = applier

    def progress(self, scope: Scope, run_id: str) -> Progress:
        """Where a run stands now. Raises NotFoundError."""
        run = self._store.run(scope, run_id)
        subtasks = self._store.subtasks(run.id)
        tickets = self._store.tickets(scope, run_id=run.id)
        shown = state(run.status, subtasks)
        return Progress(run, shown, subtasks, tickets, self._store.usage(run.id))

    def last_words(self, subtask_id: str) -> str:
        """What the agent of a subtask said or called last; empty before its first step."""
        steps = self._store.steps(subtask_id)
        last = next((step for step in reversed(steps) if step.kind == "reply"), None)
        if last is None:
            return ""
        called = ", ".join(call.tool for call in last.calls)
        return f"{called}: {last.thought}" if called and last.thought else last.thought or called

    def runs(self, scope: Scope, limit: int) -> Sequence[tuple[Run, RunState]]:
        """The newest runs with their states."""
        return [(run, self._state(run)) for run in self._store.runs(scope, limit)]

    def _state(self, run: Run) -> RunState:
        if run.status != "running" or Status.WAITING not in self._store.statuses(run.id):
            return run.status
        return state(run.status, self._store.subtasks(run.id))

    def work(self, scope: Scope, run_id: str) -> Sequence[Work]:
        """Every subtask of a run with its steps and its finding."""
        run = self._store.run(scope, run_id)
        subtasks = self._store.subtasks(run.id)
        findings: Mapping[str, Finding] = self._store.findings([one.id for one in subtasks])
        return [Work(one, self._store.steps(one.id), findings.get(one.id)) for one in subtasks]

    def audit(self, scope: Scope, run_id: str) -> Sequence[AuditEntry]:
        """The run's audit chain."""
        return self._store.audit(self._store.run(scope, run_id).id)

    def ticket(self, scope: Scope, ticket_id: str) -> Ticket:
        """One ticket. Raises NotFoundError."""
        return self._store.ticket(scope, ticket_id)

    def tickets(self, scope: Scope, *, run_id: str | None, all_of_them: bool) -> Sequence[Ticket]:
        """Tickets by when they were opened; only open ones unless all are asked for."""
        of_run = self._store.run(scope, run_id).id if run_id else None
        return self._store.tickets(scope, run_id=of_run, status=None if all_of_them else "open")

    def cancel(self, scope: Scope, run_id: str, reason: str, actor: Actor) -> Run:
        """Stop a run within one step everywhere; it goes on while what it did is undone, if its team says so.

        Raises InputError when it has ended, or was cancelled before.
        """
        run = self._store.run(scope, run_id)
        try:
            if run.rules.on_cancel == "compensate":
                self._stop(scope, run.id, reason, actor)
            else:
                self._applier.apply([CancelRun(run.id, reason), Note(run.id, actor, "cancelled", reason)])
        except ConflictError:
            ended = self._store.run(scope, run.id)
            raise InputError(f"the run has already ended: {ended.status}", where=run.id) from None
        return self._store.run(scope, run.id)

    def _stop(self, scope: Scope, run_id: str, reason: str, actor: Actor) -> None:
        """Stop all work, then see what there is to undo: nobody can begin an effect any more."""

        def decide() -> Sequence[Change]:
            run = self._store.run(scope, run_id)
            if run.status != "running":
                raise InputError(f"the run has already ended: {run.status}", where=run.id)
            if undoing.is_under_way(self._store.subtasks(run.id)):
                mend = "Answer its tickets, if it waits for a person; it ends by itself."
                raise InputError("the run is cancelled, and what it did is being undone", where=run.id, mend=mend)
            return undoing.stopped(run, reason, actor)

        self._applier.decide(decide)
        if not self._store.effects(run_id):
            with suppress(ConflictError):  # a worker was faster
                self._applier.apply([CancelRun(run_id, reason)])

    def effects(self, scope: Scope, run_id: str) -> Sequence[EffectIntent]:
        """What the run did to the world, in the order in which it was begun."""
        effects = self._store.effects(self._store.run(scope, run_id).id)
        return sorted(effects, key=lambda one: one.begun_at or one.deadline)
