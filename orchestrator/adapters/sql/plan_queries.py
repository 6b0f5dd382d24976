"""Questions about a plan: subtasks, where they stand, and the edges between them."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, func, select, text

from orchestrator.adapters.sql.rows import SELECT_SUBTASK, edge_of, subtask_of
from orchestrator.adapters.sql.schema import edges, subtasks
from orchestrator.domain.subtask import Edge, Status, Subtask

_THE_ID = bindparam("the_id")
_THE_RUN = bindparam("the_run")
_EDGE = select(edges.c.from_id, edges.c.to_id, edges.c.needs)

_SUBTASK = SELECT_SUBTASK.where(subtasks.c.id == _THE_ID)
_SUBTASKS = SELECT_SUBTASK.where(subtasks.c.run_id == _THE_RUN).order_by(subtasks.c.number)
_CHILDREN = (
    SELECT_SUBTASK.where(subtasks.c.parent_id == _THE_ID, subtasks.c.number > bindparam("after"))
    .order_by(subtasks.c.number)
    .limit(bindparam("most"))
)
_STATUSES = select(subtasks.c.status, func.count()).where(subtasks.c.run_id == _THE_RUN).group_by(subtasks.c.status)
_EDGES_FROM = _EDGE.where(edges.c.from_id == _THE_ID, edges.c.released_at.is_(None)).order_by(edges.c.to_id)
_EDGES_INTO = _EDGE.where(edges.c.to_id == _THE_ID).order_by(edges.c.from_id)
_EDGES = _EDGE.where(edges.c.run_id == _THE_RUN, text("NOT of_child")).order_by(edges.c.from_id, edges.c.to_id)


def subtask(connection: Connection, subtask_id: str) -> Subtask | None:
    """One subtask."""
    row = connection.execute(_SUBTASK, {"the_id": subtask_id}).one_or_none()
    return None if row is None else subtask_of(row)


def subtasks_of(connection: Connection, run_id: str) -> Sequence[Subtask]:
    """All subtasks of a run."""
    return [subtask_of(row) for row in connection.execute(_SUBTASKS, {"the_run": run_id})]


def children(connection: Connection, group_id: str, after: int, limit: int) -> Sequence[Subtask]:
    """Children of a group, from a number on."""
    values = {"the_id": group_id, "after": after, "most": limit}
    return [subtask_of(row) for row in connection.execute(_CHILDREN, values)]


def statuses(connection: Connection, run_id: str) -> Mapping[Status, int]:
    """How many subtasks stand where."""
    return {Status(status): count for status, count in connection.execute(_STATUSES, {"the_run": run_id})}


def edges_from(connection: Connection, subtask_id: str) -> Sequence[Edge]:
    """Edges to dependents that still wait."""
    return [edge_of(row) for row in connection.execute(_EDGES_FROM, {"the_id": subtask_id})]


def edges_into(connection: Connection, subtask_id: str) -> Sequence[Edge]:
    """Edges from predecessors."""
    return [edge_of(row) for row in connection.execute(_EDGES_INTO, {"the_id": subtask_id})]


def edges_of(connection: Connection, run_id: str) -> Sequence[Edge]:
    """The edges of the plan itself."""
    return [edge_of(row) for row in connection.execute(_EDGES, {"the_run": run_id})]
