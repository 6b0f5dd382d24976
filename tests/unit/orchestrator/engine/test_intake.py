"""Intake: what a new run begins with."""

from datetime import UTC, datetime

import pytest

from orchestrator.domain.caps import RunCaps, TeamCaps
from orchestrator.domain.changes import AddSubtasks, CapRun
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import Actor
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import Lane, lane_of
from orchestrator.engine import intake


def new_run(parallel: int | None = None, caps: TeamCaps | None = None, priority: int = 0) -> Run:
    """A run that is about to be opened."""
    return Run(
        id="r1",
        tenant="t",
        goal=Goal(text="Find out.", parallel=parallel),
        rules=TeamRules(team="demo", specialists=("a",), caps=caps or TeamCaps(), priority=priority),
        team_blob="b",
        trace="t",
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
    )


def test_caps_are_noted_before_the_first_subtask() -> None:
    """So that it needs a place too; a run that no cap concerns pays nothing."""
    changes = intake.opened(new_run(parallel=2), Actor(id="me"))
    kinds = [type(change) for change in changes]
    assert CapRun("r1", RunCaps(every={"run r1": 2})) in changes
    assert kinds.index(CapRun) < kinds.index(AddSubtasks)
    assert CapRun not in map(type, intake.opened(new_run(), Actor(id="me")))


@pytest.mark.parametrize(
    ("priority", "lane", "found"),
    [
        (0, None, "interactive"),
        (-5, None, "batch"),
        (0, "batch", "batch"),
        (1000, "batch", "batch"),
        (-5, "interactive", "interactive"),
        (7, "interactive", "interactive"),
    ],
)
def test_whoever_waits_decides_the_lane(priority: int, lane: Lane | None, found: Lane) -> None:
    """Else the team does; within its lane a team keeps its rank."""
    rules = intake.in_lane(new_run(priority=priority).rules, lane)
    higher = intake.in_lane(new_run(priority=priority + 1).rules, lane)
    assert lane_of(rules.priority) == found
    assert higher.priority >= rules.priority
