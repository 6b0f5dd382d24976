"""The port of state over a SQL database."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from orchestrator.adapters.sql import ledger_rows, plan_queries, run_queries, ticket_queries, wakeups, work_queries
from orchestrator.adapters.sql.applying import apply_changes
from orchestrator.adapters.sql.capped_claims import needs_place
from orchestrator.adapters.sql.database import Database
from orchestrator.adapters.sql.leases import Leases
from orchestrator.adapters.sql.places import next_in_line
from orchestrator.domain.budget import Standing
from orchestrator.domain.changes import Change, Fence
from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import Scope
from orchestrator.domain.observation import Observation
from orchestrator.domain.run import Run
from orchestrator.domain.step import ModelUsage, Step
from orchestrator.domain.subtask import Edge, Lane, Status, Subtask
from orchestrator.domain.ticket import Ticket, TicketStatus
from orchestrator.ports.clock import Clock
from orchestrator.ports.store import Applied, AuditEntry, Held, Lease


class SqlStore:
    """Every method is one transaction or one question; see the port for what each promises."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._leases = Leases(database.lease_time, clock)

    def apply(self, changes: Sequence[Change], fence: Fence | None = None) -> Applied:
        """Apply all changes in one durable transaction, or none."""
        if not changes and fence is None:
            return Applied()
        lease_time = self._database.lease_time
        if self._database.save_step(changes, fence):
            return Applied()
        return self._database.write(
            lambda connection: apply_changes(connection, changes, fence, self._clock.now(), lease_time)
        )

    def claim(self, subtask_id: str, worker_id: str) -> Subtask | None:
        """Take a ready subtask for a worker."""
        token = secrets.token_hex(8)
        taken = self._database.write_one(
            lambda connection: self._leases.claim(connection, subtask_id, worker_id, token)
        )
        if taken or not self._database.read(lambda connection: needs_place(connection, subtask_id)):
            return taken
        return self._database.write(
            lambda connection: self._leases.claim_with_place(connection, subtask_id, worker_id, token)
        )

    def register(self, worker_id: str, seconds: float) -> None:
        """Insert a worker's lease."""
        self._database.write(lambda connection: self._leases.register(connection, worker_id, seconds))

    def renew(self, worker_id: str, seconds: float) -> bool:
        """Prolong a lease that has not passed."""
        return self._database.write_one(lambda connection: self._leases.renew(connection, worker_id, seconds))

    def expire(self, worker_id: str) -> None:
        """End a lease now."""
        self._database.write_one(lambda connection: self._leases.expire(connection, worker_id))

    def leases(self) -> Sequence[Lease]:
        """Leases that have not passed."""
        return self._database.read(self._leases.valid)

    def to_notify(self, limit: int, lane: Lane = "interactive") -> Sequence[str]:
        """Ready subtasks of a lane whose wake-up is due."""
        return self._database.read(lambda connection: wakeups.to_notify(connection, self._clock.now(), limit, lane))

    def next_in_line(self, limit: int) -> Sequence[str]:
        """Subtasks that a cap held back and for which there is room now."""
        return self._database.read(lambda connection: next_in_line(connection, limit))

    def notified(self, subtask_ids: Collection[str]) -> None:
        """Note that wake-ups were sent."""
        if subtask_ids:
            self._database.write(lambda connection: wakeups.notified(connection, self._clock.now(), subtask_ids))

    def unclaimed(self) -> bool:
        """Whether a wake-up goes unheard."""
        return self._database.read(wakeups.unclaimed)

    def at_rest(self, worker_id: str) -> bool:
        """Whether a sweep would find nothing."""
        return self._database.read(lambda connection: self._leases.at_rest(connection, worker_id))

    def abandoned(self, limit: int) -> Sequence[Held]:
        """Running subtasks of dead workers."""
        return self._database.read(lambda connection: self._leases.abandoned(connection, limit))

    def running_of(self, worker_id: str) -> Sequence[Held]:
        """Running subtasks of one worker."""
        return self._database.read(lambda connection: self._leases.running_of(connection, worker_id))

    def due(self, limit: int) -> Sequence[str]:
        """Waiting subtasks whose time has come."""
        return self._database.read(lambda connection: wakeups.due(connection, self._clock.now(), limit))

    def untraced(self, seconds: float, limit: int) -> Sequence[Run]:
        """Ended runs whose root span may not have been exported."""
        then = self._clock.now() - timedelta(seconds=seconds)
        return self._database.read(lambda connection: run_queries.untraced(connection, then, limit))

    def traced(self, run_ids: Collection[str]) -> None:
        """Note that root spans were exported."""
        self._database.write(lambda connection: run_queries.traced(connection, run_ids))

    def overdue_tickets(self, limit: int) -> Sequence[Ticket]:
        """Open tickets past their deadline."""
        return self._database.read(lambda connection: wakeups.overdue_tickets(connection, self._clock.now(), limit))

    def run(self, scope: Scope, run_id: str) -> Run:
        """A run by its id or the beginning of it."""
        return self._database.read(lambda connection: run_queries.run(connection, scope, run_id))

    def run_of(self, subtask_id: str) -> Run:
        """The run of a subtask."""
        return self._database.read(lambda connection: run_queries.run_of_subtask(connection, subtask_id))

    def runs(self, scope: Scope, limit: int) -> Sequence[Run]:
        """The newest runs first."""
        return self._database.read(lambda connection: run_queries.newest_runs(connection, scope, limit))

    def subtask(self, subtask_id: str) -> Subtask | None:
        """One subtask."""
        return self._database.read(lambda connection: plan_queries.subtask(connection, subtask_id))

    def subtasks(self, run_id: str) -> Sequence[Subtask]:
        """All subtasks of a run by number."""
        return self._database.read(lambda connection: plan_queries.subtasks_of(connection, run_id))

    def children(self, group_id: str, after: int, limit: int) -> Sequence[Subtask]:
        """Children of a mapped subtask by number."""
        return self._database.read(lambda connection: plan_queries.children(connection, group_id, after, limit))

    def statuses(self, run_id: str) -> Mapping[Status, int]:
        """How many subtasks stand where."""
        return self._database.read(lambda connection: plan_queries.statuses(connection, run_id))

    def edges_from(self, subtask_id: str) -> Sequence[Edge]:
        """Unreleased edges to dependents."""
        return self._database.read(lambda connection: plan_queries.edges_from(connection, subtask_id))

    def edges_into(self, subtask_id: str) -> Sequence[Edge]:
        """All edges from predecessors."""
        return self._database.read(lambda connection: plan_queries.edges_into(connection, subtask_id))

    def edges(self, run_id: str) -> Sequence[Edge]:
        """All edges of a run but those from children to their group."""
        return self._database.read(lambda connection: plan_queries.edges_of(connection, run_id))

    def findings(self, subtask_ids: Collection[str]) -> Mapping[str, Finding]:
        """Findings by subtask."""
        return self._database.read(lambda connection: work_queries.findings_of(connection, subtask_ids))

    def steps(self, subtask_id: str) -> Sequence[Step]:
        """The steps of a subtask in order."""
        return self._database.read(lambda connection: work_queries.steps_of(connection, subtask_id))

    def intents(self, subtask_id: str, step: int) -> Sequence[EffectIntent]:
        """The effects of a step with how they ended."""
        return self._database.read(lambda connection: work_queries.intents(connection, subtask_id, step))

    def effects(self, run_id: str) -> Sequence[EffectIntent]:
        """The effects of a run with how they ended."""
        return self._database.read(lambda connection: work_queries.effects_of(connection, run_id))

    def observations(self, run_id: str, refs: Collection[str] | None = None) -> Mapping[str, Observation]:
        """Observations of a run by their number."""
        return self._database.read(lambda connection: work_queries.observations_of(connection, run_id, refs))

    def next_observation(self, subtask_id: str) -> int:
        """The lowest free number of an observation."""
        return self._database.read(lambda connection: work_queries.next_observation(connection, subtask_id))

    def ticket(self, scope: Scope, ticket_id: str) -> Ticket:
        """A ticket by its id or the beginning of it."""
        return self._database.read(lambda connection: ticket_queries.ticket(connection, scope, ticket_id))

    def tickets(
        self,
        scope: Scope | None,
        *,
        run_id: str | None = None,
        subtask_id: str | None = None,
        status: TicketStatus | None = None,
        limit: int = 1000,
    ) -> Sequence[Ticket]:
        """Tickets by when they were opened."""
        return self._database.read(
            lambda connection: ticket_queries.tickets_where(
                connection, scope, run_id=run_id, subtask_id=subtask_id, status=status, limit=limit
            )
        )

    def usage(self, run_id: str) -> Sequence[ModelUsage]:
        """What the run has used, one entry a model."""
        return self._database.read(lambda connection: run_queries.usage(connection, run_id))

    def worked(self, run_id: str) -> tuple[int, float]:
        """Steps taken and seconds worked."""
        return self._database.read(lambda connection: run_queries.worked(connection, run_id))

    def standing(self, account: str) -> Sequence[Standing]:
        """Where an account stands."""
        return self._database.read(lambda connection: ledger_rows.standing(connection, account))

    def audit(self, run_id: str) -> Sequence[AuditEntry]:
        """The audit chain in order."""
        return self._database.read(lambda connection: run_queries.audit_of(connection, run_id))

    def close(self) -> None:
        """Give connections back."""
        self._database.close()
