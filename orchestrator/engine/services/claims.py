"""Claims: what a worker holds while it works on a subtask, and how it gets it."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.domain.changes import Fence
from orchestrator.domain.finding import Finding
from orchestrator.domain.run import Run
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import Subtask
from orchestrator.domain.ticket import Ticket
from orchestrator.ports.store import Store

MOST_KEPT = 32
"""Findings that are kept for the children of groups."""


@dataclass(frozen=True, slots=True)
class Before:
    """A direct predecessor and what it found."""

    subtask: Subtask
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Claim:
    """One turn's hold on a subtask, and what was known when it began."""

    run: Run
    subtask: Subtask
    worker_id: str
    steps: Sequence[Step]
    before: Sequence[Before]
    tickets: Sequence[Ticket]
    """The subtask's own tickets, by when they were opened."""

    def fence(self, step: int) -> Fence:
        """The fence under which this turn writes."""
        return Fence(self.subtask.id, self.worker_id, self.subtask.epoch, step, self.run.goal.limits.tariff)

    def answers(self, step: int) -> Mapping[str, Ticket]:
        """Closed tickets of a step, by the call that asked."""
        return {t.call_id: t for t in self.tickets if t.step == step and t.call_id and t.status != "open"}

    def decision(self) -> Ticket | None:
        """The engine's own question that was answered and not yet acted upon.

        The answer about a limit acts by itself.
        """
        last = max((step.n for step in self.steps), default=0)
        closed = [
            t for t in self.tickets if t.call_id is None and t.topic != "limit" and t.status in {"answered", "expired"}
        ]
        return next((t for t in reversed(closed) if t.step >= last), None)


class _Shared:
    """Findings that all children of a group are given: each of ten thousand would read a list of ten thousand again.

    What was found never changes, so what is kept here cannot be out of date.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: dict[str, Finding] = {}

    def findings(self, ids: Sequence[str]) -> Mapping[str, Finding]:
        """The findings of these subtasks, as far as there are any yet."""
        with self._lock:
            known = {one: self._kept[one] for one in ids if one in self._kept}
        missing = [one for one in ids if one not in known]
        if missing:
            read = self._store.findings(missing)
            with self._lock:
                self._kept |= read
                for oldest in list(self._kept)[: max(0, len(self._kept) - MOST_KEPT)]:
                    del self._kept[oldest]
            known |= read
        return known


class Claims:
    """Gives subtasks to workers."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shared = _Shared(store)

    def claim(self, subtask_id: str, worker_id: str) -> Claim | None:
        """Claim the subtask and read what its turn needs; None if it is not ready: the wake-up was stale."""
        subtask = self._store.claim(subtask_id, worker_id)
        if subtask is None:
            return None
        return Claim(
            run=self._store.run_of(subtask_id),
            subtask=subtask,
            worker_id=worker_id,
            steps=tuple(self._store.steps(subtask_id)),
            before=self._before(subtask),
            tickets=tuple(self._store.tickets(None, subtask_id=subtask_id)),
        )

    def _before(self, subtask: Subtask) -> tuple[Before, ...]:
        """The predecessors; a mapped subtask's child has those of its group."""
        rows = [row for row in map(self._store.subtask, self._predecessors(subtask)) if row is not None]
        ids = [row.id for row in rows]
        findings = self._store.findings(ids) if subtask.parent_id is None else self._shared.findings(ids)
        return tuple(Before(row, findings.get(row.id)) for row in sorted(rows, key=lambda one: one.number))

    def _predecessors(self, subtask: Subtask) -> Sequence[str]:
        if subtask.parent_id is None and subtask.spec.kind != "group":
            return [edge.from_id for edge in self._store.edges_into(subtask.id)]
        # Into a group lead the edges of its ten thousand children as well; the plan itself has some hundreds at most.
        target = subtask.parent_id or subtask.id
        return [edge.from_id for edge in self._store.edges(subtask.run_id) if edge.to_id == target]


def last_step(store: Store, claim: Claim) -> int:
    """The subtask's last stored step; the turn may have stored some since the claim."""
    now = store.subtask(claim.subtask.id)
    return now.step if now else claim.subtask.step
