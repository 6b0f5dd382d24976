"""Adding subtasks and edges to a run's plan."""

from collections import Counter
from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, insert, select, update

from orchestrator.adapters.sql.cap_changes import add_places
from orchestrator.adapters.sql.release_changes import LOCK, SKIP_BECAUSE
from orchestrator.adapters.sql.rows import subtask_values
from orchestrator.adapters.sql.schema import edges, subtasks
from orchestrator.adapters.sql.transaction import LockedRun, Transaction, chunks
from orchestrator.domain.changes import AddSubtasks
from orchestrator.domain.subtask import FINAL, USABLE, Edge, NewSubtask, Status
from orchestrator.errors import ConflictError, DefectError

_IDS = bindparam("ids", expanding=True)
_KNOWN = select(subtasks.c.id).where(subtasks.c.id.in_(_IDS))
_KNOWN_EDGES = select(edges.c.from_id, edges.c.to_id).where(
    edges.c.from_id.in_(_IDS), edges.c.to_id.in_(bindparam("targets", expanding=True))
)
_SHARE_SOURCES = (
    select(subtasks.c.id, subtasks.c.key, subtasks.c.status, subtasks.c.parent_id, subtasks.c.run_id)
    .where(subtasks.c.id.in_(_IDS))
    .order_by(subtasks.c.id)
    .with_for_update(read=True)
)
_ADD_SUBTASKS = insert(subtasks)
_ADD_EDGES = insert(edges)
_COUNT_UP = (
    update(subtasks).where(subtasks.c.id == bindparam("the_id")).values(unmet=subtasks.c.unmet + bindparam("more"))
)


def add_subtasks(tx: Transaction, change: AddSubtasks) -> None:
    """Insert what is not there yet; the run's lock keeps two additions apart."""
    run = tx.run(change.run_id)
    if run.status != "running":
        raise ConflictError(f"the run has ended already: {run.status}", where=run.id)
    fresh = _fresh_subtasks(tx, change.subtasks)
    new_edges = _fresh_edges(tx, change.edges, {subtask.id for subtask in fresh})
    wiring = _Wiring(tx, run, fresh, new_edges)
    _insert_subtasks(tx, run, fresh, wiring)
    add_places(tx, run.id, fresh)
    wiring.insert()
    tx.unblocked.update(subtask.id for subtask in fresh if not wiring.unmet[subtask.id])


class _Wiring:
    """What new edges mean for the subtasks at their ends."""

    def __init__(self, tx: Transaction, run: LockedRun, fresh: Sequence[NewSubtask], new_edges: Sequence[Edge]) -> None:
        self._tx = tx
        self._run = run
        self._edges = new_edges
        self._fresh = {subtask.id for subtask in fresh}
        self._parents = {subtask.id: subtask.parent_id for subtask in fresh}
        self._ended: dict[str, Status] = {}
        self.unmet: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self._share_sources()
        self._check_targets()
        for edge in new_edges:
            self._count(edge)

    def insert(self) -> None:
        """Write the edges and what they change in subtasks that were there before."""
        rows = [
            {
                "from_id": edge.from_id,
                "to_id": edge.to_id,
                "run_id": self._run.id,
                "needs": edge.needs,
                "of_child": self._parents[edge.from_id] == edge.to_id,
                "released_at": self._tx.now if edge.from_id in self._ended else None,
            }
            for edge in self._edges
        ]
        if rows:
            self._tx.connection.execute(_ADD_EDGES, rows)
        for to_id, more in sorted(self.unmet.items()):
            if to_id not in self._fresh:
                self._tx.connection.execute(_COUNT_UP, {"the_id": to_id, "more": more})
        for to_id, because in sorted(self.reasons.items()):
            if to_id not in self._fresh:
                self._tx.connection.execute(SKIP_BECAUSE, {"the_id": to_id, "because": because})

    def _share_sources(self) -> None:
        """Read where the predecessors stand and keep them from ending before this is committed."""
        sources = sorted({edge.from_id for edge in self._edges} - self._fresh)
        for ids in chunks(sources):
            for row in self._tx.connection.execute(_SHARE_SOURCES, {"ids": ids}):
                if row.run_id != self._run.id:
                    raise DefectError(f"{row.id} is of another run", where=self._run.id)
                self._parents[row.id] = row.parent_id
                if Status(row.status) in FINAL:
                    self._ended[row.id] = Status(row.status)
        unknown = [source for source in sources if source not in self._parents]
        if unknown:
            raise DefectError(f"an edge leads from {unknown[0]}, which does not exist", where=self._run.id)

    def _check_targets(self) -> None:
        """An edge may lead to what has not gone on: blocked, or the group that is being spread right now."""
        targets = sorted({edge.to_id for edge in self._edges} - self._fresh)
        known: set[str] = set()
        for ids in chunks(targets):
            for row in self._tx.connection.execute(LOCK, {"ids": ids}):
                known.add(row.id)
                fence = self._tx.fence
                spreading = row.kind == "group" and row.status == "running" and fence and fence.subtask_id == row.id
                if row.status != "blocked" and not spreading:
                    raise ConflictError(f"{row.id} has gone on ({row.status}): it cannot wait for more", where=row.id)
                if row.status == "blocked":
                    self._tx.unblocked.add(row.id)
        if len(known) < len(targets):
            missing = next(target for target in targets if target not in known)
            raise DefectError(f"an edge leads to {missing}, which does not exist", where=self._run.id)

    def _count(self, edge: Edge) -> None:
        status = self._ended.get(edge.from_id)
        if status is None:
            self.unmet[edge.to_id] += 1
        elif edge.needs == "done" and status not in USABLE:
            self.reasons.setdefault(edge.to_id, f"{edge.from_id.rsplit('/', 1)[-1]} ended {status.value}")


def _fresh_subtasks(tx: Transaction, wanted: Sequence[NewSubtask]) -> Sequence[NewSubtask]:
    unique = {subtask.id: subtask for subtask in reversed(wanted)}
    known: set[str] = set()
    for ids in chunks(sorted(unique)):
        known.update(tx.connection.scalars(_KNOWN, {"ids": ids}))
    return [unique.pop(one.id) for one in wanted if one.id in unique and one.id not in known]


def _fresh_edges(tx: Transaction, wanted: Sequence[Edge], fresh: Collection[str]) -> Sequence[Edge]:
    unique = {(edge.from_id, edge.to_id): edge for edge in reversed(wanted)}
    old = [edge for edge in unique.values() if edge.from_id not in fresh and edge.to_id not in fresh]
    for some in chunks(sorted(old, key=lambda edge: edge.from_id)):
        ends = {"ids": sorted({e.from_id for e in some}), "targets": sorted({e.to_id for e in some})}
        for row in tx.connection.execute(_KNOWN_EDGES, ends):
            unique.pop((row.from_id, row.to_id), None)
    return list(unique.values())


def _insert_subtasks(tx: Transaction, run: LockedRun, fresh: Sequence[NewSubtask], wiring: _Wiring) -> None:
    if not fresh:
        return
    rows = [
        subtask_values(one, run.next_number + position, wiring.unmet[one.id], wiring.reasons.get(one.id))
        for position, one in enumerate(fresh)
    ]
    run.next_number += len(rows)
    run.changed["next_number"] = run.next_number
    tx.connection.execute(_ADD_SUBTASKS, rows)
