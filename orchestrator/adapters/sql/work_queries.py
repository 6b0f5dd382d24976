"""Questions about what subtasks did: steps, effects, observations, findings."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, func, select

from orchestrator.adapters.sql.documents import read
from orchestrator.adapters.sql.rows import AnyRow
from orchestrator.adapters.sql.schema import effects, findings, observations, steps, subtasks
from orchestrator.adapters.sql.transaction import chunks
from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.finding import Finding
from orchestrator.domain.observation import Observation
from orchestrator.domain.step import Step

_THE_ID = bindparam("the_id")

_STEPS = select(steps.c.document).where(steps.c.subtask_id == _THE_ID).order_by(steps.c.n)
_INTENTS = (
    select(effects.c.status, effects.c.document)
    .where(effects.c.subtask_id == _THE_ID, effects.c.step == bindparam("the_step"))
    .order_by(effects.c.call_id)
)
_EFFECTS = (
    select(effects.c.status, effects.c.document)
    .join(subtasks, subtasks.c.id == effects.c.subtask_id)
    .where(subtasks.c.run_id == bindparam("the_run"))
    .order_by(subtasks.c.number, effects.c.step, effects.c.call_id)
)
_FINDINGS = select(findings.c.subtask_id, findings.c.document).where(
    findings.c.subtask_id.in_(bindparam("ids", expanding=True))
)
_OBSERVATIONS = select(observations.c.ref, observations.c.document).where(observations.c.run_id == bindparam("the_run"))
_THESE_OBSERVATIONS = _OBSERVATIONS.where(observations.c.ref.in_(bindparam("refs", expanding=True)))
_IN_ORDER = _OBSERVATIONS.order_by(observations.c.subtask_id, observations.c.n)
_LAST_OBSERVATION = select(func.max(observations.c.n)).where(observations.c.subtask_id == _THE_ID)


def steps_of(connection: Connection, subtask_id: str) -> Sequence[Step]:
    """The steps of a subtask."""
    documents = connection.scalars(_STEPS, {"the_id": subtask_id})
    return [read(Step, document, where=subtask_id) for document in documents]


def intents(connection: Connection, subtask_id: str, step: int) -> Sequence[EffectIntent]:
    """The effects of a step; how they ended stands in a column."""
    return _read_intents(connection.execute(_INTENTS, {"the_id": subtask_id, "the_step": step}), subtask_id)


def effects_of(connection: Connection, run_id: str) -> Sequence[EffectIntent]:
    """The effects of all subtasks of a run."""
    return _read_intents(connection.execute(_EFFECTS, {"the_run": run_id}), run_id)


def _read_intents(rows: Iterable[AnyRow], where: str) -> list[EffectIntent]:
    return [read(EffectIntent, row.document, where=where).model_copy(update={"status": row.status}) for row in rows]


def findings_of(connection: Connection, subtask_ids: Collection[str]) -> Mapping[str, Finding]:
    """Findings by subtask."""
    found: dict[str, Finding] = {}
    for ids in chunks(sorted(set(subtask_ids))):
        for row in connection.execute(_FINDINGS, {"ids": ids}):
            found[row.subtask_id] = read(Finding, row.document, where=row.subtask_id)
    return found


def observations_of(connection: Connection, run_id: str, refs: Collection[str] | None) -> Mapping[str, Observation]:
    """Observations by number."""
    if refs is None:
        rows = connection.execute(_IN_ORDER, {"the_run": run_id}).all()
    else:
        rows = [
            row
            for some in chunks(sorted(set(refs)))
            for row in connection.execute(_THESE_OBSERVATIONS, {"the_run": run_id, "refs": some})
        ]
    return {row.ref: read(Observation, row.document, where=row.ref) for row in rows}


def next_observation(connection: Connection, subtask_id: str) -> int:
    """The number of the next observation."""
    return (connection.scalar(_LAST_OBSERVATION, {"the_id": subtask_id}) or 0) + 1
