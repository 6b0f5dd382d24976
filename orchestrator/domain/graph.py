"""The graph of a run: its subtasks and edges, which of them count now, and what hangs on what."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.domain.subtask import FINAL, UNSTARTED, Edge, Status, Subtask, base_key


@dataclass(frozen=True, slots=True)
class Graph:
    """All subtasks of a run, and the edges between those that are not children of a mapped one."""

    subtasks: Sequence[Subtask]
    edges: Sequence[Edge]

    def current(self) -> dict[str, Subtask]:
        """The subtask that counts for each of the plan's keys: the newest version that was not replaced.

        Children of mapped subtasks are left out: they belong to their group.
        """
        newest: dict[str, Subtask] = {}
        for subtask in sorted(self.subtasks, key=lambda one: one.number):
            if subtask.parent_id is None and not _replaced(subtask):
                newest[base_key(subtask.key)] = subtask
        return newest

    def the(self, kind: str) -> Subtask | None:
        """The newest subtask of a kind that a run has once: composer, reviewer."""
        found = [one for one in self.subtasks if one.spec.kind == kind]
        return max(found, key=lambda one: one.number, default=None)

    def started(self) -> dict[str, bool]:
        """Key → True when the current subtask of that key has started or ended; False when it can be replaced."""
        return {
            key: one.status not in UNSTARTED or one.epoch > 0
            for key, one in self.current().items()
            if one.spec.kind in _PLANNED
        }

    def dependents(self, ids: Iterable[str]) -> frozenset[str]:
        """The given subtasks and everything that hangs on them, directly or not."""
        following: dict[str, list[str]] = {}
        for edge in self.edges:
            following.setdefault(edge.from_id, []).append(edge.to_id)
        reached: set[str] = set()
        stack = list(ids)
        while stack:
            one = stack.pop()
            if one not in reached:
                reached.add(one)
                stack.extend(following.get(one, ()))
        return frozenset(reached)

    def replanning(self) -> Subtask | None:
        """A planner that replans and has not ended."""
        pending = [one for one in self.subtasks if one.spec.kind == "planner" and one.spec.around]
        return next((one for one in pending if one.status not in FINAL), None)

    def failed(self) -> list[Subtask]:
        """Failed specialists and groups that no later version replaced, by number."""
        return [one for one in self.current().values() if one.status is Status.FAILED and one.spec.kind in _PLANNED]


_PLANNED = frozenset({"specialist", "group"})
REPLACED = "replaced by a later plan"
"""Why a subtask was skipped when a replan took its place."""


def _replaced(subtask: Subtask) -> bool:
    return subtask.status is Status.SKIPPED and subtask.skip_because == REPLACED
