"""Changes of a turn: its fence, its steps, and the ways in which it gives the subtask back."""

from typing import Any

from sqlalchemy import bindparam, case, exists, insert, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert as insert_new

from orchestrator.adapters.sql.cap_changes import leave_places
from orchestrator.adapters.sql.documents import written
from orchestrator.adapters.sql.ledger_changes import charge_step, charge_time, fold_turn
from orchestrator.adapters.sql.money import picodollars
from orchestrator.adapters.sql.places import read_pools
from orchestrator.adapters.sql.prepared import Prepared
from orchestrator.adapters.sql.schema import findings, observations, places, runs, status_is, steps, subtasks
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.changes import BreakOff, Change, Fence, SaveStep, Settle, Spread, Wait, Yield
from orchestrator.domain.observation import Observation
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import FINAL
from orchestrator.errors import DefectError, FencedError

MOST_TROUBLE = 2_000
"""Characters of what broke a turn off."""
_OURS = subtasks.c.id == bindparam("the_id")
_RUNNING = status_is(subtasks.c.status, "running")

FENCE = (
    update(subtasks)
    .where(
        _OURS,
        subtasks.c.owner == bindparam("the_owner"),
        subtasks.c.epoch == bindparam("the_epoch"),
        _RUNNING,
        exists().where(runs.c.id == subtasks.c.run_id, status_is(runs.c.status, "running")),
    )
    .values(
        step=bindparam("the_step"),
        worked_seconds=subtasks.c.worked_seconds + bindparam("seconds"),
        tries=case((subtasks.c.step < bindparam("the_step"), literal_column("0")), else_=subtasks.c.tries),
    )
)
"""Every write of a turn begins with it: no row, no write. With a new step what did not answer has answered again."""
_POOLS = select(places.c.pools).where(places.c.subtask_id == subtasks.c.id).scalar_subquery()
_FENCE = Prepared(FENCE.returning(subtasks.c.run_id, subtasks.c.number, _POOLS))
_ADD_STEP = Prepared(
    insert_new(steps).on_conflict_do_nothing(index_elements=[steps.c.subtask_id, steps.c.n]).returning(steps.c.n)
)
_STORED_STEP = select(steps.c.open_calls, steps.c.seconds).where(
    steps.c.subtask_id == bindparam("the_id"), steps.c.n == bindparam("the_n")
)
_COMPLETE_STEP = update(steps).where(steps.c.subtask_id == bindparam("the_id"), steps.c.n == bindparam("the_n"))
_ADD_OBSERVATIONS = Prepared(insert(observations))
_TAKE_TIME_BACK = update(subtasks).where(_OURS).values(worked_seconds=subtasks.c.worked_seconds - bindparam("seconds"))
_WAIT = (
    update(subtasks)
    .where(_OURS)
    .values(status="waiting", owner=None, wake_at=bindparam("until"), tries=subtasks.c.tries + bindparam("more"))
)
_YIELD = (
    update(subtasks)
    .where(_OURS)
    .values(
        status="ready",
        owner=None,
        notify_at=bindparam("soon"),
        notify_count=0,
    )
)
_BREAK_OFF = (
    update(subtasks)
    .where(_OURS)
    .values(
        status="waiting",
        owner=None,
        wake_at=bindparam("until"),
        deaths=subtasks.c.deaths + 1,
        trouble=bindparam("why"),
    )
)
_SPREAD = update(subtasks).where(_OURS).values(status="blocked", owner=None).returning(subtasks.c.unmet)
_SETTLE = update(subtasks).where(_OURS).values(status=bindparam("as"), owner=None, finished_at=bindparam("now"))
_ADD_FINDING = insert(findings)


def fence_values(fence: Fence, seconds: float) -> dict[str, Any]:
    """What `FENCE` is executed with; `seconds` are those of the steps to come."""
    return {
        "the_id": fence.subtask_id,
        "the_owner": fence.owner,
        "the_epoch": fence.epoch,
        "the_step": fence.step,
        "seconds": seconds,
    }


def check_fence(tx: Transaction, fence: Fence, changes: tuple[Change, ...]) -> None:
    """Take the fenced row, or FencedError; the time of the steps to come is added in the same statement."""
    worked = sum(change.step.seconds for change in changes if isinstance(change, SaveStep))
    rows = _FENCE.rows(tx.connection, fence_values(fence, worked))
    if not rows:
        raise FencedError(
            f"{fence.owner} does not hold the subtask any more (epoch {fence.epoch}); nothing was written",
            where=fence.subtask_id,
        )
    tx.fence = fence
    tx.fenced_run, tx.fenced_number, taken = rows[0]
    tx.fenced_pools = read_pools(taken) if taken else ()


def save_step(tx: Transaction, change: SaveStep) -> None:
    """Insert the step, or complete the one that has open calls; a complete step is never written twice."""
    tx.needs_fence(change.subtask_id, change)
    values = step_values(change.step)
    if not _ADD_STEP.rows(tx.connection, {"subtask_id": change.subtask_id, **values}):
        _complete(tx, change.subtask_id, change.step.n, values)
    elif tx.tariff is not None:
        charge_step(tx, change.subtask_id, change.step, tx.tariff)
    if change.observations:
        rows = [_observation_values(tx, change.subtask_id, one) for one in change.observations]
        _ADD_OBSERVATIONS.run_each(tx.connection, rows)


def wait(tx: Transaction, change: Wait) -> None:
    """The subtask waits; without `wake_at` the end of the transaction checks that a ticket is still open."""
    tx.needs_fence(change.subtask_id, change)
    values = {"the_id": change.subtask_id, "until": change.wake_at, "more": int(change.put_off)}
    tx.connection.execute(_WAIT, values)
    tx.give_places_back()
    _fold(tx, change.subtask_id)
    if change.wake_at is None:
        tx.waiting.append(change.subtask_id)


def give_back(tx: Transaction, change: Yield) -> None:
    """The subtask is ready for another turn."""
    tx.needs_fence(change.subtask_id, change)
    tx.connection.execute(_YIELD, {"the_id": change.subtask_id, "soon": tx.soon})
    tx.give_places_back()
    _fold(tx, change.subtask_id)
    tx.ready.add(change.subtask_id)


def break_off(tx: Transaction, change: BreakOff) -> None:
    """The subtask waits for its next try; what its turn had set aside is charged in full."""
    tx.needs_fence(change.subtask_id, change)
    values = {"the_id": change.subtask_id, "until": change.again_at, "why": change.trouble[:MOST_TROUBLE]}
    tx.connection.execute(_BREAK_OFF, values)
    tx.give_places_back()
    fold_turn(tx, change.subtask_id, in_full=True)


def spread(tx: Transaction, change: Spread) -> None:
    """The group is blocked by its children; the end of the transaction sees whether they have ended already."""
    tx.needs_fence(change.subtask_id, change)
    if tx.connection.scalar(_SPREAD, {"the_id": change.subtask_id}) == 0:
        tx.unblocked.add(change.subtask_id)


def settle(tx: Transaction, change: Settle) -> None:
    """The subtask ends; its finding is never written again."""
    tx.needs_fence(change.subtask_id, change)
    if change.status not in FINAL:
        raise DefectError(f"a subtask cannot end as {change.status}", where=change.subtask_id)
    finding = change.finding
    tx.connection.execute(
        _ADD_FINDING,
        {
            "subtask_id": change.subtask_id,
            "status": finding.status,
            "ending": finding.ending.value,
            "document": written(finding),
        },
    )
    tx.connection.execute(_SETTLE, {"the_id": change.subtask_id, "as": change.status.value, "now": tx.now})
    _fold(tx, change.subtask_id)
    if tx.fenced_pools:
        leave_places(tx, [change.subtask_id])
    if not change.holds:
        tx.settled.append(change.subtask_id)


def _complete(tx: Transaction, subtask_id: str, n: int, values: dict[str, Any]) -> None:
    key = {"the_id": subtask_id, "the_n": n}
    stored = tx.connection.execute(_STORED_STEP, key).one()
    if stored.open_calls == 0:
        raise FencedError(f"step {n} is complete already; nothing was written", where=subtask_id)
    tx.connection.execute(_COMPLETE_STEP.values(values), key)
    # The fence has added the step's whole time again: the subtask's time is the sum of its steps'.
    tx.connection.execute(_TAKE_TIME_BACK, {"the_id": subtask_id, "seconds": stored.seconds})
    if tx.tariff is not None:
        charge_time(tx, subtask_id, values["seconds"] - stored.seconds)


def _fold(tx: Transaction, subtask_id: str) -> None:
    if tx.tariff is not None:
        fold_turn(tx, subtask_id, in_full=False)


def step_values(step: Step) -> dict[str, Any]:
    """The row of a step, without its subtask."""
    return {
        "n": step.n,
        "kind": step.kind,
        "open_calls": len(step.open_calls()),
        "model": step.usage.model,
        "input_tokens": step.usage.input_tokens,
        "output_tokens": step.usage.output_tokens,
        "picodollars": picodollars(step.usage.cost),
        "seconds": step.seconds,
        "document": written(step),
    }


def numbers_of(observation: Observation) -> tuple[int, int]:
    """The number of its subtask, and its own."""
    number, n = observation.ref[1:].split(".")
    return int(number), int(n)


def _observation_values(tx: Transaction, subtask_id: str, observation: Observation) -> dict[str, Any]:
    number, n = numbers_of(observation)
    if number != tx.fenced_number:
        raise DefectError(f"observation {observation.ref} is not of subtask {tx.fenced_number}", where=subtask_id)
    return {
        "subtask_id": subtask_id,
        "n": n,
        "run_id": tx.fenced_run,
        "ref": observation.ref,
        "document": written(observation),
    }
