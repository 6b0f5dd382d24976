"""Questions about runs: the run itself, what it has used, its audit chain."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, and_, bindparam, func, select, text, true, update

from orchestrator.adapters.sql.prefix import beginning, only, within
from orchestrator.adapters.sql.rows import SELECT_AUDIT, SELECT_RUN, entry_of, run_of
from orchestrator.adapters.sql.schema import audit, runs, status_is, steps, subtasks
from orchestrator.adapters.sql.transaction import chunks
from orchestrator.domain.identity import Scope
from orchestrator.domain.run import Run
from orchestrator.domain.step import ModelUsage
from orchestrator.errors import NotFoundError
from orchestrator.ports.store import AuditEntry

_RUN = SELECT_RUN.where(runs.c.tenant == bindparam("the_tenant"), runs.c.id == bindparam("the_id"))
_RUN_LIKE = SELECT_RUN.where(runs.c.tenant == bindparam("the_tenant"), within(runs.c.id)).order_by(runs.c.id).limit(2)
_RUN_OF = SELECT_RUN.join(subtasks, subtasks.c.run_id == runs.c.id).where(subtasks.c.id == bindparam("the_id"))
_NEWEST = (
    SELECT_RUN.where(runs.c.tenant == bindparam("the_tenant"))
    .order_by(runs.c.created_at.desc(), runs.c.id.desc())
    .limit(bindparam("most"))
)
NOT_TRACED = and_(runs.c.finished_at.is_not(None), text("NOT runs.traced"))
"""As it stands in the partial index: only then does a database use it."""
_UNTRACED = (
    SELECT_RUN.where(NOT_TRACED, runs.c.finished_at <= bindparam("then"))
    .order_by(runs.c.finished_at)
    .limit(bindparam("most"))
)
_TRACED = update(runs).where(runs.c.id.in_(bindparam("ids", expanding=True))).values(traced=true())
_OF_RUN = subtasks.c.run_id == bindparam("the_run")
_USAGE = (
    select(
        steps.c.model,
        func.count().label("calls"),
        func.count(steps.c.picodollars).label("priced"),
        func.sum(steps.c.input_tokens).label("input_tokens"),
        func.sum(steps.c.output_tokens).label("output_tokens"),
        func.sum(steps.c.picodollars).label("picodollars"),
    )
    .join(subtasks, subtasks.c.id == steps.c.subtask_id)
    .where(_OF_RUN, steps.c.model != "")
    .group_by(steps.c.model)
    .order_by(steps.c.model)
)
_ROUNDS = (
    select(func.count())
    .select_from(steps.join(subtasks, subtasks.c.id == steps.c.subtask_id))
    .where(_OF_RUN, status_is(steps.c.kind, "reply"))
)
_SECONDS = select(func.sum(subtasks.c.worked_seconds)).where(_OF_RUN)
_AUDIT = SELECT_AUDIT.where(audit.c.run_id == bindparam("the_run")).order_by(audit.c.n)


def run(connection: Connection, scope: Scope, run_id: str) -> Run:
    """The run with this id or this beginning of an id."""
    row = connection.execute(_RUN, {"the_tenant": scope.tenant, "the_id": run_id}).one_or_none()
    if row is not None:
        return run_of(row)
    values = {"the_tenant": scope.tenant, **beginning(run_id)}
    rows = connection.execute(_RUN_LIKE, values).all()
    return run_of(only(rows, "run", run_id))


def run_of_subtask(connection: Connection, subtask_id: str) -> Run:
    """The run of a subtask."""
    row = connection.execute(_RUN_OF, {"the_id": subtask_id}).one_or_none()
    if row is None:
        raise NotFoundError("there is no such subtask", where=subtask_id)
    return run_of(row)


def untraced(connection: Connection, then: datetime, limit: int) -> Sequence[Run]:
    """Runs that had ended by then, and whose root span may not have been exported."""
    return [run_of(row) for row in connection.execute(_UNTRACED, {"then": then, "most": limit})]


def traced(connection: Connection, run_ids: Collection[str]) -> None:
    """Note that their root spans were exported."""
    for ids in chunks(sorted(run_ids)):
        connection.execute(_TRACED, {"ids": ids})


def newest_runs(connection: Connection, scope: Scope, limit: int) -> Sequence[Run]:
    """Runs, the newest first."""
    rows = connection.execute(_NEWEST, {"the_tenant": scope.tenant, "most": limit})
    return [run_of(row) for row in rows]


def usage(connection: Connection, run_id: str) -> Sequence[ModelUsage]:
    """Calls, tokens and cost by model; the cost is None when one call of it has none."""
    return [
        ModelUsage(
            model=row.model,
            calls=row.calls,
            input_tokens=int(row.input_tokens),
            output_tokens=int(row.output_tokens),
            cost=None if row.priced < row.calls else _dollars(int(row.picodollars)),
        )
        for row in connection.execute(_USAGE, {"the_run": run_id})
    ]


def worked(connection: Connection, run_id: str) -> tuple[int, float]:
    """Rounds of think, act, observe, and seconds worked."""
    values = {"the_run": run_id}
    rounds = connection.scalar(_ROUNDS, values) or 0
    return rounds, connection.scalar(_SECONDS, values) or 0.0


def audit_of(connection: Connection, run_id: str) -> Sequence[AuditEntry]:
    """The audit chain."""
    return [entry_of(row) for row in connection.execute(_AUDIT, {"the_run": run_id})]


def _dollars(picodollars: int) -> str:
    text = format(Decimal(picodollars).scaleb(-12), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
