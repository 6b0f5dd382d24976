"""Changes around caps: their pools, the places of new subtasks, and who is let in when a place is free again."""

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as insert_new

from orchestrator.adapters.sql.documents import read, written
from orchestrator.adapters.sql.places import next_in_line, read_pools, written_pools
from orchestrator.adapters.sql.schema import capped_runs, places, pools, status_is, subtasks
from orchestrator.adapters.sql.transaction import Transaction, chunks
from orchestrator.domain.caps import RunCaps, run_pool
from orchestrator.domain.changes import Admit, CapRun
from orchestrator.domain.subtask import NewSubtask

_IDS = bindparam("ids", expanding=True)
_INSERT_POOL = insert_new(pools)
_SET_POOL = _INSERT_POOL.on_conflict_do_update(index_elements=[pools.c.name], set_={"most": _INSERT_POOL.excluded.most})
_CAP_RUN = insert(capped_runs)
_CAPS = select(capped_runs.c.caps).where(capped_runs.c.run_id == bindparam("the_run"))
_UNCAP_RUN = delete(capped_runs).where(capped_runs.c.run_id == bindparam("the_run"))
_CLOSE_POOL = delete(pools).where(pools.c.name == bindparam("the_name"))
_PLACE = insert(places)
_LEAVE = delete(places).where(places.c.subtask_id.in_(_IDS)).returning(places.c.pools)
_NOTIFY = (
    update(subtasks)
    .where(subtasks.c.id.in_(_IDS), status_is(subtasks.c.status, "ready"), subtasks.c.notify_at.is_(None))
    .values(notify_at=bindparam("soon"), notify_count=0)
    .returning(subtasks.c.id)
)
_LET_IN = update(places).where(places.c.subtask_id.in_(_IDS)).values(held=False)


def cap_run(tx: Transaction, change: CapRun) -> None:
    """Note what concerns the run; pools that others share get the caps that hold from now on."""
    for name, most in sorted(change.caps.most().items()):
        tx.connection.execute(_SET_POOL, {"name": name, "most": most})
    tx.connection.execute(_CAP_RUN, {"run_id": change.run_id, "caps": written(change.caps)})


def close_run_pool(tx: Transaction, run_id: str) -> None:
    """A run that ends needs its pool no more. Before any subtask is locked: a claim locks pools first."""
    tx.connection.execute(_CLOSE_POOL, {"the_name": run_pool(run_id)})
    tx.connection.execute(_UNCAP_RUN, {"the_run": run_id})


def add_places(tx: Transaction, run_id: str, fresh: Sequence[NewSubtask]) -> None:
    """New subtasks that a cap concerns need places; a group does no work of its own."""
    stored = tx.connection.scalar(_CAPS, {"the_run": run_id})
    if stored is None:
        return
    caps = read(RunCaps, stored, where=run_id)
    rows = [
        {"subtask_id": one.id, "pools": written_pools(needed), "held": False, "since": None}
        for one in fresh
        if one.spec.kind != "group" and (needed := caps.pools(one.spec.agent))
    ]
    for some in chunks(rows):
        tx.connection.execute(_PLACE, list(some))


def leave_places(tx: Transaction, subtask_ids: Iterable[str]) -> None:
    """Subtasks that end need no place any more."""
    for ids in chunks(sorted(subtask_ids)):
        tx.freed.extend(map(read_pools, tx.connection.scalars(_LEAVE, {"ids": ids})))


def let_in(tx: Transaction) -> None:
    """As many as gave a place back here are let in, if there are so many for whom there is room."""
    if tx.freed:
        freed = {name for names in tx.freed for name in names}
        _admit(tx, next_in_line(tx.connection, len(tx.freed), freed, lock=True))


def admit(tx: Transaction, change: Admit) -> None:
    """Let in whoever is still held back; whether there is room shows when he is claimed."""
    _admit(tx, change.subtask_ids)


def _admit(tx: Transaction, subtask_ids: Sequence[str]) -> None:
    for ids in chunks(sorted(subtask_ids)):
        admitted = tx.connection.scalars(_NOTIFY, {"ids": ids, "soon": tx.soon}).all()
        if admitted:
            tx.connection.execute(_LET_IN, {"ids": admitted})
            tx.ready.update(admitted)
