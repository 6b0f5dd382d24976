"""The state of a run as people see it is derived from where its subtasks stand."""

from datetime import UTC, datetime

import pytest

from orchestrator.domain.run import RunState, RunStatus, state
from orchestrator.domain.subtask import NEVER, Status, Subtask, SubtaskSpec

LATER = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)


def subtask(status: Status, wake_at: datetime | None = None) -> Subtask:
    """A subtask that stands so."""
    spec = SubtaskSpec(kind="specialist", agent="finder", title="Find", instruction="Find it.")
    return Subtask(id="r1/a", run_id="r1", key="a", version=1, spec=spec, number=1, status=status, wake_at=wake_at)


ASKS, PUT_OFF = subtask(Status.WAITING), subtask(Status.WAITING, LATER)
WITH_IT = subtask(Status.WAITING, NEVER)
READY, RUNNING, BLOCKED, DONE = map(subtask, (Status.READY, Status.RUNNING, Status.BLOCKED, Status.DONE))


@pytest.mark.parametrize(
    ("subtasks", "shown"),
    [
        ([RUNNING, BLOCKED], "running"),
        ([DONE, ASKS, BLOCKED], "waiting"),
        ([ASKS, READY], "running"),
        ([ASKS, RUNNING], "running"),
        ([PUT_OFF, BLOCKED], "running"),
        ([PUT_OFF, ASKS], "running"),
        ([DONE, BLOCKED], "running"),
        ([WITH_IT, ASKS], "waiting"),
        ([WITH_IT, RUNNING], "running"),
    ],
    ids=[
        "works",
        "asks",
        "asks, goes on",
        "asks, works",
        "tries again later",
        "asks, tries again later",
        "between",
        "waits for what another one asked",
        "one waits for that, another works",
    ],
)
def test_a_run_waits_for_people_only(subtasks: list[Subtask], shown: RunState) -> None:
    """Somebody who follows a run is sent away when nothing goes on without a person; a time that will come does."""
    assert state("running", subtasks) == shown


@pytest.mark.parametrize("ended", ["done", "failed", "limit", "cancelled"])
def test_an_ended_run_stays_ended(ended: RunStatus) -> None:
    """What its subtasks were about to do counts no more."""
    assert state(ended, [ASKS, RUNNING]) == ended
