"""A ready subtask in the store of the test."""

from collections.abc import Callable

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, OpenRun
from orchestrator.domain.goal import Goal
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec


@pytest.fixture
def ready(store: SqlStore, clock: ShiftedClock) -> Callable[[str], str]:
    """Store a run of one ready subtask with this key; its id."""

    def make(key: str) -> str:
        rules = TeamRules(team="demo", specialists=("worker",))
        run = Run(
            id=f"r{key}",
            tenant="acme",
            goal=Goal(text="x"),
            rules=rules,
            team_blob="b",
            trace="t",
            created_at=clock.now(),
        )
        spec = SubtaskSpec(kind="specialist", agent="worker", title=key, instruction="Do it.")
        subtask = NewSubtask(id=f"{run.id}/{key}", run_id=run.id, key=key, version=1, spec=spec)
        store.apply([OpenRun(run), AddSubtasks(run.id, (subtask,))])
        return subtask.id

    return make
