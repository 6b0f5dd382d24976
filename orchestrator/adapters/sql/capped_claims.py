"""The claim of a subtask that a cap concerns: it takes its places, or is held back until there is room."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Update, bindparam, func, select, update

from orchestrator.adapters.sql.places import locked_room, read_pools
from orchestrator.adapters.sql.rows import AnyRow
from orchestrator.adapters.sql.schema import places, status_is, subtasks
from orchestrator.domain.subtask import lane_of

BEHIND = timedelta(seconds=60)
"""So much later do subtasks of batch runs stand in line: whoever waited longer than that goes before newcomers."""

_THE_ID = subtasks.c.id == bindparam("the_id")
_READY = status_is(subtasks.c.status, "ready")
_NEEDED = (
    select(places.c.pools, places.c.since, subtasks.c.priority)
    .select_from(places.join(subtasks, places.c.subtask_id == subtasks.c.id))
    .where(_THE_ID, _READY)
)
_QUIET = update(subtasks).where(_THE_ID, _READY).values(notify_at=None, notify_count=0)
_HOLD = (
    update(places)
    .where(places.c.subtask_id == bindparam("the_id"))
    .values(held=True, since=func.coalesce(places.c.since, bindparam("since", type_=places.c.since.type)))
)
_TAKEN = update(places).where(places.c.subtask_id == bindparam("the_id")).values(held=False, since=None)


def needs_place(connection: Connection, subtask_id: str) -> bool:
    """Whether it is a cap that keeps a claim from a ready subtask."""
    return connection.execute(_NEEDED, {"the_id": subtask_id}).one_or_none() is not None


def claim_with_place(connection: Connection, claim: Update, values: dict[str, Any], now: datetime) -> AnyRow | None:
    """Execute the claim if there is room in each pool; otherwise the subtask stands in line, and no wake-up is due."""
    key = {"the_id": values["the_id"]}
    needed = connection.execute(_NEEDED, key).one_or_none()
    if needed is None:
        return None
    since = needed.since or (now if lane_of(needed.priority) == "interactive" else now + BEHIND)
    names = read_pools(needed.pools)
    if not locked_room(connection, names, since).has(names):
        if connection.execute(_QUIET, key).rowcount:
            connection.execute(_HOLD, {**key, "since": since})
        return None
    row = connection.execute(claim, values).one_or_none()
    if row is not None:
        connection.execute(_TAKEN, key)
    return row
