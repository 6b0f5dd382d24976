"""What can be wrong with rows: some hang on nothing, an ended run goes on, an audit chain is broken."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Connection, func, select
from sqlalchemy.sql.elements import ColumnElement

from orchestrator.adapters.sql.audit_changes import digest
from orchestrator.adapters.sql.care.paging import Read, rows_of
from orchestrator.adapters.sql.rows import SELECT_AUDIT, entry_of
from orchestrator.adapters.sql.schema import audit, edges, metadata, observations, runs, status_is, subtasks
from orchestrator.errors import StoreError

ALIVE = status_is(subtasks.c.status, "blocked", "ready", "running", "waiting")


def wrong_rows(read: Read[Any]) -> Iterator[str]:
    """One line for each kind of wrong row, with an example."""
    for child, parent in _links():
        line = read(lambda connection, child=child, parent=parent: _orphans(connection, child, parent))
        if line:
            yield line
    yield from read(_still_alive)
    yield from broken_chains(read)


def _links() -> Iterator[tuple[Column[Any], Column[Any]]]:
    """What hangs on what: foreign keys, and those columns that the tables do without one."""
    for table in metadata.sorted_tables:
        for key in sorted(table.foreign_keys, key=lambda one: one.parent.name):
            yield key.parent, key.column
    yield edges.c.run_id, runs.c.id
    yield observations.c.run_id, runs.c.id
    yield subtasks.c.parent_id, subtasks.c.id


def _orphans(connection: Connection, child: Column[Any], parent: Column[Any]) -> str:
    above = parent.table.alias("above")
    missing: ColumnElement[bool] = ~select(above.c[parent.name]).where(above.c[parent.name] == child).exists()
    count, example = connection.execute(select(func.count(), func.min(child)).where(child.is_not(None), missing)).one()
    if not count:
        return ""
    rows = "1 row" if count == 1 else f"{count} rows"
    return f"{child.table.name}: {rows} without {parent.table.name}, such as of {example} (by {child.name})"


def _still_alive(connection: Connection) -> list[str]:
    found = select(runs.c.id, func.count().label("alive")).join(subtasks, subtasks.c.run_id == runs.c.id)
    found = found.where(runs.c.status != "running", ALIVE).group_by(runs.c.id).order_by(runs.c.id)
    return [
        f"run {row.id}: it has ended, but {row.alive} of its subtasks have not" for row in connection.execute(found)
    ]


def broken_chains(read: Read[Any]) -> Iterator[str]:
    """Runs whose audit is not what was once written: an entry changed, missing, or put in."""
    for row in rows_of(read, runs, runs.c.audit_n > 0, runs.c.audit_n, runs.c.audit_digest):
        line = read(lambda connection, row=row: _chain(connection, row.id, row.audit_n, row.audit_digest))
        if line:
            yield line


def _chain(connection: Connection, run_id: str, last: int, expected: str) -> str:
    before = ""
    entries = SELECT_AUDIT.where(audit.c.run_id == run_id, audit.c.n <= last).order_by(audit.c.n)
    for n, row in enumerate(connection.execute(entries), 1):
        try:
            one = entry_of(row)
        except StoreError:
            return f"run {run_id}: entry {row.n} of its audit cannot be read"
        made = digest(before, n=n, at=one.at, actor=one.actor, action=one.action, detail=one.detail)
        if (one.n, one.digest) != (n, made):
            return f"run {run_id}: its audit was changed at entry {n}"
        before = made
    return "" if before == expected else f"run {run_id}: the end of its audit is missing"
