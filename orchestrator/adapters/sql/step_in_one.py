"""A new step in one statement: one trip to a PostgreSQL, not one each for fence, step, observations and commit."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import psycopg
from sqlalchemy import Connection, Integer, Select, Text, bindparam, exists, func, insert, select, union_all
from sqlalchemy.dialects.postgresql.psycopg import dialect

from orchestrator.adapters.sql.documents import written
from orchestrator.adapters.sql.prepared import Written, write_out
from orchestrator.adapters.sql.schema import observations, steps, subtasks
from orchestrator.adapters.sql.turn_changes import FENCE, fence_values, numbers_of, step_values
from orchestrator.domain.changes import Change, Fence, SaveStep
from orchestrator.domain.observation import Observation

MOST_OBSERVATIONS = 16
"""Steps with more are rare, and each number of them has a statement of its own."""

_ID = bindparam("the_id", type_=subtasks.c.id.type)
_N = bindparam("step_n", type_=Integer())
_NUMBER = bindparam("the_number", type_=Integer())
_STORED = (steps.c.subtask_id == _ID, steps.c.n == _N)
_HELD = (
    FENCE.where(~exists().where(*_STORED), subtasks.c.number == func.coalesce(_NUMBER, subtasks.c.number))
    .returning(subtasks.c.run_id)
    .cte("held")
)
_GIVEN = tuple(column for column in steps.c if column.name != "subtask_id")
_STEP = insert(steps).from_select(
    ["subtask_id", *(column.name for column in _GIVEN)],
    select(_ID, *(bindparam(f"step_{column.name}", type_=column.type) for column in _GIVEN)).select_from(_HELD),
)
_IS_THE_SAME = select(steps.c.n).where(*_STORED, steps.c.document == bindparam("step_document", type_=Text()))


class StepInOne:
    """Saves a step that nobody has stored yet, in a connection where each statement is a transaction."""

    def __init__(self, fence: Fence, change: SaveStep, of: int | None) -> None:
        self._count = len(change.observations)
        self._values = {
            **fence_values(fence, change.step.seconds),
            **{f"step_{name}": value for name, value in step_values(change.step).items()},
            "the_number": of,
            **{name: value for at, one in enumerate(change.observations) for name, value in _values(at, one).items()},
        }

    def save(self, driver: psycopg.Connection[Any]) -> bool:
        """False: nothing was written; why is for a transaction of several statements to find out."""
        statement = _written(self._count)
        return driver.execute(statement.text.encode(), statement.by_name(self._values)).fetchone() is not None

    def is_saved(self, connection: Connection) -> bool:
        """Whether this very step is stored."""
        return connection.execute(_IS_THE_SAME, self._values).first() is not None


def step_in_one(changes: Sequence[Change], fence: Fence | None) -> StepInOne | None:
    """The step, if saving it under its fence is all there is to do, and nothing has to be charged for it."""
    match changes:
        case [SaveStep() as change] if fence and fence.tariff is None and fence.subtask_id == change.subtask_id:
            of = {numbers_of(one)[0] for one in change.observations}
            fits = len(of) <= 1 and len(change.observations) <= MOST_OBSERVATIONS
            return StepInOne(fence, change, next(iter(of), None)) if fits else None
        case _:
            return None


@lru_cache
def _written(count: int) -> Written:
    """The statement for so many observations."""
    return write_out(_saving(count), dialect())


def _saving(count: int) -> Select[*tuple[Any, ...]]:
    saving = select(_HELD.c.run_id).add_cte(_STEP.cte("step"))
    if count == 0:
        return saving
    rows = union_all(*(_row(at) for at in range(count)))
    return saving.add_cte(insert(observations).from_select(("subtask_id", "run_id", *_SEEN), rows).cte("observed"))


_SEEN = ("n", "ref", "document")


def _row(at: int) -> Select[*tuple[Any, ...]]:
    given = (bindparam(f"{name}_{at}", type_=observations.c[name].type) for name in _SEEN)
    return select(_ID, _HELD.c.run_id, *given)


def _values(at: int, one: Observation) -> dict[str, Any]:
    return {f"n_{at}": numbers_of(one)[1], f"ref_{at}": one.ref, f"document_{at}": written(one)}
