"""Removes ended runs with every row that hangs on them."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, Delete, Table, bindparam, delete, func, or_, select

from orchestrator.adapters.sql.care.damage import ALIVE
from orchestrator.adapters.sql.schema import edges, ledger, metadata, runs, status_is, subtasks
from orchestrator.adapters.sql.transaction import chunks
from orchestrator.ports.care import Old

_IDS = bindparam("ids", expanding=True)
_OLD = (
    ~status_is(runs.c.status, "running"),
    runs.c.finished_at < bindparam("before"),
    ~select(subtasks.c.id).where(subtasks.c.run_id == runs.c.id, ALIVE).exists(),
)
_FIND = (
    select(
        runs.c.id,
        select(func.count())
        .select_from(subtasks)
        .where(subtasks.c.run_id == runs.c.id)
        .scalar_subquery()
        .label("many"),
    )
    .where(*_OLD, runs.c.id > bindparam("after"))
    .order_by(runs.c.id)
    .limit(bindparam("most"))
)
_LOCK = select(runs.c.id).where(*_OLD, runs.c.id.in_(_IDS)).order_by(runs.c.id).with_for_update()
_SUBTASKS = select(subtasks.c.id).where(subtasks.c.run_id.in_(_IDS))


def old_runs(connection: Connection, before: datetime, limit: int, after: str) -> Sequence[Old]:
    """Ended runs that nothing is at work on, by id."""
    rows = connection.execute(_FIND, {"before": before, "after": after, "most": limit})
    return [Old(row.id, row.many) for row in rows]


def remove_runs(connection: Connection, run_ids: Collection[str], before: datetime) -> Sequence[str]:
    """Remove those that are still old, from the leaves to the root."""
    gone: list[str] = []
    for some in chunks(sorted(run_ids)):
        ids = connection.scalars(_LOCK, {"ids": some, "before": before}).all()
        if ids:
            for table in reversed(metadata.sorted_tables):
                statement = _removal(table)
                if statement is not None:
                    connection.execute(statement, {"ids": ids})
            gone += ids
    return gone


def _removal(table: Table) -> Delete | None:
    """How the rows of runs are removed from a table; None for one that holds none of a run's."""
    if table is ledger:  # a run's own lines and those of its turns; what it used stands in its team's by now
        return delete(ledger).where(or_(ledger.c.account.in_(_IDS), ledger.c.parent.in_(_IDS)))
    if table is runs:
        return delete(runs).where(runs.c.id.in_(_IDS))
    if table is edges:  # by what an index has
        return delete(edges).where(edges.c.from_id.in_(_SUBTASKS))
    if "run_id" in table.c:
        return delete(table).where(table.c.run_id.in_(_IDS))
    return delete(table).where(table.c.subtask_id.in_(_SUBTASKS)) if "subtask_id" in table.c else None
