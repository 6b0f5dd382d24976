"""Whether there is anything for a sweep to do, in one question: a worker that has nothing to do asks nothing else."""

from typing import Any

from sqlalchemy import Select, bindparam, or_, select

from orchestrator.adapters.sql.run_queries import NOT_TRACED
from orchestrator.adapters.sql.schema import runs, status_is, subtasks
from orchestrator.adapters.sql.wakeups import DUE, OVERDUE

_READY = select(subtasks.c.id).where(status_is(subtasks.c.status, "ready"))
_OURS = select(subtasks.c.id).where(
    status_is(subtasks.c.status, "running"), subtasks.c.owner == bindparam("the_worker")
)
_ENDED = select(runs.c.id).where(NOT_TRACED)


def stirring(abandoned: Select[Any, Any, Any]) -> Select[Any]:
    """Asks for anything that is ready, held by this worker or by a dead one, due, overdue or not traced yet."""
    sweeps = (_READY, _OURS, abandoned, DUE, OVERDUE, _ENDED)
    return select(or_(*(one.order_by(None).limit(1).exists() for one in sweeps)))
