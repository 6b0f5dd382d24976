"""Changes of a run's row: opening, the plan's revision, ending."""

from sqlalchemy import bindparam, case, select, update
from sqlalchemy.dialects.postgresql import insert

from orchestrator.adapters.sql.cap_changes import leave_places
from orchestrator.adapters.sql.documents import written
from orchestrator.adapters.sql.ledger_changes import close_accounts
from orchestrator.adapters.sql.rows import run_values
from orchestrator.adapters.sql.schema import runs, status_is, subtasks, tickets
from orchestrator.adapters.sql.transaction import LockedRun, Transaction, chunks
from orchestrator.domain.changes import CancelRun, EndRun, ExpectPlan, OpenRun, RevisePlan, StopWork
from orchestrator.domain.run import Outcome
from orchestrator.errors import ConflictError, DefectError

# SQLite took `ON CONFLICT` over from PostgreSQL: the one construct is right for both.
_OPEN_RUN = insert(runs).on_conflict_do_nothing(index_elements=[runs.c.id]).returning(runs.c.id)

_ALIVE = status_is(subtasks.c.status, "blocked", "ready", "running", "waiting")
_LOCK_ALIVE = (
    select(subtasks.c.id)
    .where(subtasks.c.run_id == bindparam("the_run"), _ALIVE)
    # A turn holds its own row and then wants its dependents', which are blocked: take the rows in the same order.
    .order_by(case((status_is(subtasks.c.status, "blocked"), 1), else_=0), subtasks.c.id)
    .with_for_update(key_share=True)
)
_CANCEL_SUBTASKS = (
    update(subtasks)
    .where(subtasks.c.id.in_(bindparam("ids", expanding=True)), _ALIVE)
    .values(status="cancelled", owner=None, wake_at=None, finished_at=bindparam("now"))
)
_CANCEL_TICKETS = (
    update(tickets)
    .where(tickets.c.run_id == bindparam("the_run"), status_is(tickets.c.status, "open"))
    .values(status="cancelled", answered_at=bindparam("now"))
)


def open_run(tx: Transaction, change: OpenRun) -> None:
    """Insert the run."""
    run = change.run
    if tx.connection.scalar(_OPEN_RUN, run_values(run)) is None:
        raise ConflictError("a run with this id exists already", where=run.id)
    tx.runs[run.id] = LockedRun(run.id, run.status, run.revision, next_number=1, audit_n=0, audit_digest="")


def expect_plan(tx: Transaction, change: ExpectPlan) -> None:
    """The revision must be the one that was read."""
    _expect(tx.run(change.run_id), change.revision)


def revise_plan(tx: Transaction, change: RevisePlan) -> None:
    """Compare-and-set on the revision."""
    run = tx.run(change.run_id)
    _expect(run, change.revision)
    run.revision += 1
    run.changed |= {
        "revision": run.revision,
        "version": change.version,
        "replans": change.replans,
        "reviews": change.reviews,
    }


def end_run(tx: Transaction, change: EndRun) -> None:
    """The run ends as its outcome says."""
    _end(tx, change.run_id, change.outcome)


def cancel_run(tx: Transaction, change: CancelRun) -> None:
    """The run ends cancelled."""
    _end(tx, change.run_id, Outcome(status="cancelled", reason=change.reason))


def stop_work(tx: Transaction, change: StopWork) -> None:
    """Cancel what has not ended, though the run goes on."""
    run = tx.run(change.run_id)
    if run.status != "running":
        raise ConflictError(f"the run has ended already: {run.status}", where=change.run_id)
    _stop(tx, change.run_id)


def stop_the_rest(tx: Transaction) -> None:
    """Cancel what is left of the runs that end here, once everything else has been applied."""
    for run_id in tx.ended:
        _stop(tx, run_id)
        close_accounts(tx, run_id)


def _stop(tx: Transaction, run_id: str) -> None:
    alive = tx.connection.scalars(_LOCK_ALIVE, {"the_run": run_id}).all()
    for ids in chunks(alive):
        tx.connection.execute(_CANCEL_SUBTASKS, {"ids": ids, "now": tx.now})
    leave_places(tx, alive)
    tx.connection.execute(_CANCEL_TICKETS, {"the_run": run_id, "now": tx.now})
    tx.ready.difference_update(alive)
    tx.unblocked.difference_update(alive)


def _expect(run: LockedRun, revision: int) -> None:
    if run.revision != revision:
        raise ConflictError(
            f"the plan is at revision {run.revision}, not {revision}: somebody else changed it first", where=run.id
        )


def _end(tx: Transaction, run_id: str, outcome: Outcome) -> None:
    run = tx.run(run_id)
    if run.status != "running":
        raise ConflictError(f"the run has ended already: {run.status}", where=run_id)
    if outcome.status == "running":
        raise DefectError("a run cannot end as running", where=run_id)
    run.status = outcome.status
    run.changed |= {"status": outcome.status, "finished_at": tx.now, "outcome": written(outcome)}
    tx.ended.append(run_id)
