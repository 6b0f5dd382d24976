"""Places of subtasks that a cap concerns: who takes them, who stands in line, and who is the next."""

import json
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select, text

from orchestrator.adapters.sql.schema import places, pools, status_is, subtasks
from orchestrator.adapters.sql.transaction import chunks
from orchestrator.domain.caps import InLine, Room
from orchestrator.domain.subtask import NEVER

HELD, ADMITTED = text("places.held"), text("places.since IS NOT NULL AND NOT places.held")
"""As they stand in the partial indexes: only then does a database use them."""
MOST_KINDS = 1000
"""Kinds of lines that are looked at; a kind is all that need places in the same pools."""

_READY = status_is(subtasks.c.status, "ready")
_OF_PLACE = places.c.subtask_id == subtasks.c.id
_POOLS = select(pools.c.name, pools.c.most).where(pools.c.name.in_(bindparam("names", expanding=True)))
_LOCK_POOLS = _POOLS.order_by(pools.c.name).with_for_update()
_AT_WORK = select(places.c.pools).where(_OF_PLACE, status_is(subtasks.c.status, "running"))
_AHEAD = select(places.c.pools).where(
    _OF_PLACE, _READY, ADMITTED, places.c.since < bindparam("since", type_=places.c.since.type)
)
_NEXT_KIND = select(func.min(places.c.pools)).where(HELD, places.c.pools > bindparam("kind"))
_LINE = (
    select(places.c.subtask_id, places.c.since)
    .where(_OF_PLACE, _READY, HELD, places.c.pools == bindparam("kind"))
    .order_by(places.c.since, places.c.subtask_id)
    .limit(bindparam("most"))
)


def written_pools(names: Sequence[str]) -> str:
    """The names as they stand in a row: equal texts are equal needs."""
    return json.dumps(list(names), ensure_ascii=False)


def read_pools(stored: str) -> tuple[str, ...]:
    """The names that `written_pools` wrote."""
    return tuple(json.loads(stored))


def locked_room(connection: Connection, names: Collection[str], since: datetime) -> Room:
    """What is left in the pools, which nobody else takes places in until the end of the transaction.

    Whoever was admitted before `since` has his place already.
    """
    most = {row.name: row.most for row in connection.execute(_LOCK_POOLS, {"names": sorted(names)})}
    return Room(most, map(read_pools, _taken(connection, since)))


def next_in_line(
    connection: Connection, limit: int, freed: Collection[str] | None = None, *, lock: bool = False
) -> list[str]:
    """The first who are held back and for whom there is room now: of those who need one of the `freed` pools, or of
    all. `lock`: leave out those that somebody else works on, and keep the others from them."""
    kinds = [kind for kind in _kinds(connection) if freed is None or not set(freed).isdisjoint(read_pools(kind))]
    if not kinds:
        return []
    room = _room(connection, {name for kind in kinds for name in read_pools(kind)})
    statement = _LINE.with_for_update(of=subtasks, skip_locked=True, key_share=True) if lock else _LINE
    line = [
        InLine(row.subtask_id, row.since, read_pools(kind))
        for kind in kinds
        if room.has(read_pools(kind))
        for row in connection.execute(statement, {"kind": kind, "most": limit})
    ]
    return room.admit(line, limit)


def _kinds(connection: Connection) -> Iterator[str]:
    """Each kind of line once, from the index: there may be very many in one line."""
    kind = ""
    for _ in range(MOST_KINDS):
        found = connection.scalar(_NEXT_KIND, {"kind": kind})
        if found is None:
            return
        yield found
        kind = found


def _room(connection: Connection, names: Collection[str]) -> Room:
    most = {row.name: row.most for some in chunks(sorted(names)) for row in connection.execute(_POOLS, {"names": some})}
    return Room(most, map(read_pools, _taken(connection, NEVER)))


def _taken(connection: Connection, since: datetime) -> list[str]:
    """The needs of all that is at work, and of whoever was let in who came before that moment."""
    return [*connection.scalars(_AT_WORK), *connection.scalars(_AHEAD, {"since": since})]
