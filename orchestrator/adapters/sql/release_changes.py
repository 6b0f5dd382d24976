"""Taking edges away, once each, and what becomes of the subtasks behind them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from sqlalchemy import bindparam, func, select, update

from orchestrator.adapters.sql.cap_changes import leave_places
from orchestrator.adapters.sql.rows import AnyRow
from orchestrator.adapters.sql.schema import edges, status_is, subtasks
from orchestrator.adapters.sql.transaction import Transaction, chunks
from orchestrator.domain.changes import ReplaceUnstarted
from orchestrator.domain.subtask import FINAL
from orchestrator.errors import ConflictError

_IDS = bindparam("ids", expanding=True)

_RELEASE = (
    update(edges)
    .where(edges.c.from_id == bindparam("the_from"), edges.c.to_id.in_(_IDS), edges.c.released_at.is_(None))
    .values(released_at=bindparam("now"))
    .returning(edges.c.to_id)
)
_RELEASE_ALL = (
    update(edges)
    .where(edges.c.from_id.in_(_IDS), edges.c.released_at.is_(None))
    .values(released_at=bindparam("now"))
    .returning(edges.c.to_id, edges.c.needs)
)
_STILL_HELD = (
    select(edges.c.to_id).where(edges.c.from_id == bindparam("the_from"), edges.c.released_at.is_(None)).limit(1)
)
LOCK = (
    select(subtasks.c.id, subtasks.c.status, subtasks.c.kind)
    .where(subtasks.c.id.in_(_IDS))
    .order_by(subtasks.c.id)
    .with_for_update(key_share=True)
)
_COUNT_DOWN = (
    update(subtasks)
    .where(subtasks.c.id.in_(_IDS))
    .values(unmet=subtasks.c.unmet - bindparam("fewer"))
    .returning(subtasks.c.id, subtasks.c.status, subtasks.c.unmet)
)
SKIP_BECAUSE = (
    update(subtasks)
    .where(subtasks.c.id == bindparam("the_id"))
    .values(
        skip_because=func.coalesce(subtasks.c.skip_because, bindparam("because", type_=subtasks.c.skip_because.type))
    )
)
_LOCK_UNSTARTED = (
    select(subtasks.c.id)
    .where(
        subtasks.c.run_id == bindparam("the_run"),
        status_is(subtasks.c.status, "blocked", "ready"),
        status_is(subtasks.c.kind, "specialist", "group"),
        subtasks.c.epoch == 0,
        subtasks.c.parent_id.is_(None),
    )
    .order_by(subtasks.c.id)
    .with_for_update(key_share=True)
)
_REPLACE = (
    update(subtasks)
    .where(subtasks.c.id.in_(_IDS))
    .values(status="skipped", skip_because=bindparam("because"), finished_at=bindparam("now"))
)
_START = (
    update(subtasks)
    .where(subtasks.c.id.in_(_IDS), status_is(subtasks.c.status, "blocked"), subtasks.c.unmet == 0)
    .values(status="ready", notify_at=bindparam("soon"), notify_count=0)
    .returning(subtasks.c.id)
)


def release_edges(tx: Transaction) -> None:
    """Apply the collected releases: each edge once, dependents locked in the order of their ids."""
    by_source: dict[str, dict[str, str | None]] = defaultdict(dict)
    for release in tx.releases:
        because = None if release.satisfied else release.because or f"{release.edge.from_id} left nothing to go on with"
        by_source[release.edge.from_id][release.edge.to_id] = because
    released: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for source, targets in sorted(by_source.items()):
        for ids in chunks(sorted(targets)):
            values = {"the_from": source, "ids": ids, "now": tx.now}
            for to_id in tx.connection.scalars(_RELEASE, values):
                released[to_id] += 1
                because = targets[to_id]
                if because is not None:
                    reasons.setdefault(to_id, because)
    _count_down(tx, released, reasons)


def check_settled(tx: Transaction) -> None:
    """Whoever ends releases all its dependents; an edge that came in meanwhile is a conflict, or it would be lost."""
    for subtask_id in tx.settled:
        held = tx.connection.scalar(_STILL_HELD, {"the_from": subtask_id})
        if held is not None:
            raise ConflictError(f"{held} waits for it too and was not released: read its edges again", where=subtask_id)


def replace_unstarted(tx: Transaction, change: ReplaceUnstarted) -> None:
    """Skip what has not started, decided under its locks: what a worker claims at this moment stays."""
    tx.run(change.run_id)
    unstarted = tx.connection.scalars(_LOCK_UNSTARTED, {"the_run": change.run_id}).all()
    released: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for ids in chunks(unstarted):
        tx.connection.execute(_REPLACE, {"ids": ids, "because": change.because, "now": tx.now})
        for row in tx.connection.execute(_RELEASE_ALL, {"ids": ids, "now": tx.now}):
            _note_released(row, released, reasons, change.because)
    leave_places(tx, unstarted)
    for skipped in unstarted:
        reasons.pop(skipped, None)
    tx.ready.difference_update(unstarted)
    _count_down(tx, released, reasons)


def start_unblocked(tx: Transaction) -> None:
    """What is blocked by nothing any more becomes ready; decided at the end, when all edges are known."""
    for ids in chunks(sorted(tx.unblocked)):
        tx.ready.update(tx.connection.scalars(_START, {"ids": ids, "soon": tx.soon}))


def _note_released(row: AnyRow, released: Counter[str], reasons: dict[str, str], because: str) -> None:
    released[row.to_id] += 1
    if row.needs == "done":
        reasons.setdefault(row.to_id, because)


def _count_down(tx: Transaction, released: Mapping[str, int], reasons: Mapping[str, str]) -> None:
    if len(released) > 1:
        _lock(tx, released)
    by_count: dict[int, list[str]] = defaultdict(list)
    for to_id, count in sorted(released.items()):
        by_count[count].append(to_id)
    for count, targets in by_count.items():
        for ids in chunks(targets):
            for row in tx.connection.execute(_COUNT_DOWN, {"ids": ids, "fewer": count}):
                if row.status == "blocked" and row.unmet == 0:
                    tx.unblocked.add(row.id)
                if row.id in reasons and row.status not in FINAL:
                    tx.connection.execute(SKIP_BECAUSE, {"the_id": row.id, "because": reasons[row.id]})


def _lock(tx: Transaction, ids: Iterable[str]) -> None:
    for some in chunks(sorted(ids)):
        tx.connection.execute(LOCK, {"ids": some}).all()
