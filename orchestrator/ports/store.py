"""The port of state: a list of changes in one transaction, named queries; no session and no row leaks out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from orchestrator.domain.budget import Refusal, Standing
from orchestrator.domain.changes import Change, Fence
from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.observation import Observation
from orchestrator.domain.run import Run
from orchestrator.domain.step import ModelUsage, Step
from orchestrator.domain.subtask import Edge, Lane, Status, Subtask
from orchestrator.domain.ticket import Ticket, TicketStatus


@dataclass(frozen=True, slots=True)
class Applied:
    """What a transaction did: the subtasks it made ready, in id order; wake-ups go out for them after the commit."""

    ready: tuple[str, ...] = ()
    batch: tuple[str, ...] = ()
    """Those of them that nobody waits for."""
    refusal: Refusal | None = None
    """Why a `Reserve` among the changes set nothing aside."""


@dataclass(frozen=True, slots=True)
class Lease:
    """One incarnation of a worker process and until when it may work."""

    worker_id: str
    until: datetime
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """A running subtask and who holds it."""

    subtask_id: str
    owner: str
    epoch: int


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One link of a run's audit chain: `digest` = SHA-256 over the entry's fields and the digest before."""

    n: int
    at: datetime
    actor: Actor
    action: str
    detail: str
    digest: str


class Store(Protocol):
    """Where the truth is. Every method raises StoreError when the database does not do what was asked."""

    # changes

    def apply(self, changes: Sequence[Change], fence: Fence | None = None) -> Applied:
        """Apply all changes in one durable transaction, or none.

        Raises FencedError when `fence` does not hold any more (other owner or epoch, not running, cancelled),
        ConflictError when a change found that somebody was first.
        """
        ...

    def claim(self, subtask_id: str, worker_id: str) -> Subtask | None:
        """Make a ready subtask of a running run `running` and owned, its epoch one higher; None if it isn't ready.

        The worker must hold a lease that has not passed. Where a cap leaves no room the subtask stands in line: it
        stays ready, no wake-up is due, and whoever gives a place back makes it ready again (`Applied.ready`).
        """
        ...

    # leases

    def register(self, worker_id: str, seconds: float) -> None:
        """Insert this worker's lease. Ids are never used again."""
        ...

    def renew(self, worker_id: str, seconds: float) -> bool:
        """Prolong the lease, by the database's clock where it has one; False when it had passed already: stop."""
        ...

    def expire(self, worker_id: str) -> None:
        """End a lease at once: the worker is known to be dead, or says good-bye."""
        ...

    def leases(self) -> Sequence[Lease]:
        """Leases that have not passed."""
        ...

    # wake-ups

    def to_notify(self, limit: int, lane: Lane = "interactive") -> Sequence[str]:
        """Ready subtasks of a lane whose wake-up is due again (back-off per row), highest priority first.

        Whoever makes a subtask ready publishes at once, so the first time is 2 s after it became ready.
        """
        ...

    def next_in_line(self, limit: int) -> Sequence[str]:
        """Subtasks that a cap held back and for which there is room now: whoever gave a place back did not see them."""
        ...

    def notified(self, subtask_ids: Collection[str]) -> None:
        """Note that wake-ups were sent again: the next is due after 4 s, 8 s, … 60 s."""
        ...

    def unclaimed(self) -> bool:
        """True when some ready subtask was not claimed though its wake-up was sent again and again for 30 s."""
        ...

    def at_rest(self, worker_id: str) -> bool:
        """True when this worker holds nothing and a sweep would find nothing: nothing is ready, abandoned, due or
        overdue, and nobody has left out to note that the root span of an ended run was exported. One question."""
        ...

    def abandoned(self, limit: int) -> Sequence[Held]:
        """Running subtasks whose owner's lease has passed or does not exist."""
        ...

    def running_of(self, worker_id: str) -> Sequence[Held]:
        """The running subtasks that a worker holds."""
        ...

    def due(self, limit: int) -> Sequence[str]:
        """Waiting subtasks whose `wake_at` has passed."""
        ...

    def untraced(self, seconds: float, limit: int) -> Sequence[Run]:
        """Runs that ended at least so long ago and of which nobody has noted that their root span was exported."""
        ...

    def traced(self, run_ids: Collection[str]) -> None:
        """Note that the root spans of these runs were exported."""
        ...

    def overdue_tickets(self, limit: int) -> Sequence[Ticket]:
        """Open tickets whose deadline has passed."""
        ...

    # queries

    def run(self, scope: Scope, run_id: str) -> Run:
        """The run with this id, or with this beginning of an id if only one has it. Raises NotFoundError."""
        ...

    def run_of(self, subtask_id: str) -> Run:
        """The run that a subtask belongs to. Raises NotFoundError."""
        ...

    def runs(self, scope: Scope, limit: int) -> Sequence[Run]:
        """The newest runs first."""
        ...

    def subtask(self, subtask_id: str) -> Subtask | None:
        """One subtask, None if there is none of this id."""
        ...

    def subtasks(self, run_id: str) -> Sequence[Subtask]:
        """All subtasks of a run by number."""
        ...

    def children(self, group_id: str, after: int, limit: int) -> Sequence[Subtask]:
        """Children of a mapped subtask with a number above `after`, by number."""
        ...

    def statuses(self, run_id: str) -> Mapping[Status, int]:
        """How many subtasks of the run have which status."""
        ...

    def edges_from(self, subtask_id: str) -> Sequence[Edge]:
        """Edges to direct dependents that have not been released."""
        ...

    def edges_into(self, subtask_id: str) -> Sequence[Edge]:
        """Edges from all direct predecessors, released or not."""
        ...

    def edges(self, run_id: str) -> Sequence[Edge]:
        """All edges of a run but those from children to their group."""
        ...

    def findings(self, subtask_ids: Collection[str]) -> Mapping[str, Finding]:
        """Findings by subtask, of those that have one."""
        ...

    def steps(self, subtask_id: str) -> Sequence[Step]:
        """The steps of a subtask in order."""
        ...

    def intents(self, subtask_id: str, step: int) -> Sequence[EffectIntent]:
        """The effects written down for a step, with how they ended."""
        ...

    def effects(self, run_id: str) -> Sequence[EffectIntent]:
        """The effects written down in a run, with how they ended; by subtask, step and call."""
        ...

    def observations(self, run_id: str, refs: Collection[str] | None = None) -> Mapping[str, Observation]:
        """Observations of a run by their number; all of them without `refs`."""
        ...

    def next_observation(self, subtask_id: str) -> int:
        """The lowest free `n` of `E<subtask>.<n>`; from 1."""
        ...

    def ticket(self, scope: Scope, ticket_id: str) -> Ticket:
        """The ticket with this id, or with this beginning of an id if only one has it. Raises NotFoundError."""
        ...

    def tickets(
        self,
        scope: Scope | None,
        *,
        run_id: str | None = None,
        subtask_id: str | None = None,
        status: TicketStatus | None = None,
        limit: int = 1000,
    ) -> Sequence[Ticket]:
        """Tickets by when they were opened. `scope` None: the engine itself asks, of one run or subtask."""
        ...

    def usage(self, run_id: str) -> Sequence[ModelUsage]:
        """What the run has used so far, one entry a model."""
        ...

    def worked(self, run_id: str) -> tuple[int, float]:
        """Steps taken and seconds worked by all subtasks of the run."""
        ...

    def standing(self, account: str) -> Sequence[Standing]:
        """Where an account stands (a run's id, or that of a subtask at work), one entry a kind; empty: no limit."""
        ...

    def audit(self, run_id: str) -> Sequence[AuditEntry]:
        """The run's audit chain in order."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...
