"""A run: one goal being worked on, and what its state looks like from outside."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from orchestrator.domain.budget import TeamBudget
from orchestrator.domain.caps import TeamCaps
from orchestrator.domain.finding import ObservationRef
from orchestrator.domain.goal import Goal
from orchestrator.domain.record import Record
from orchestrator.domain.subtask import FINAL, NEVER, Status, Subtask

RunStatus = Literal["running", "done", "failed", "limit", "cancelled"]
RunState = Literal["running", "waiting", "done", "failed", "limit", "cancelled"]

MOST_REPLANS = 2
MOST_REVIEWS = 2


OnCancel = Literal["keep", "compensate"]
"""What becomes of a run's effects when it is cancelled."""


class TeamRules(Record):
    """What the engine has to know of a team; the rest of the team is the agents' business."""

    team: str
    specialists: tuple[str, ...]
    withhold: tuple[str, ...] = ("secrets", "cards")
    """Names of the pattern sets whose hits must not leave (see `domain/withholding.py`)."""
    priority: int = 0
    """Of what is ready, higher ones go first; below nought: whenever nobody else waits."""
    caps: TeamCaps = TeamCaps()
    fields: tuple[str, ...] = ()
    """The fields of the structured result that are handed out, in this order; none named: all of them."""
    budget: TeamBudget = TeamBudget()
    on_cancel: OnCancel = "keep"


class Outcome(Record):
    """How a run ended: which subtask's finding is the answer, why, and what the reviewer kept back."""

    status: RunStatus
    reason: str
    answer_id: str | None = None
    withheld: tuple[str, ...] = ()
    """Strings that must not leave; the export replaces them."""
    unsupported: tuple[str, ...] = ()
    """What a person accepted although the check did not find its source."""
    evidence: tuple[ObservationRef, ...] = ()


class Run(Record):
    """A run as a row."""

    id: str
    tenant: str
    goal: Goal
    rules: TeamRules
    team_blob: str
    """The team as it was when the run was submitted: texts, schemas, model names."""
    status: RunStatus = "running"
    revision: int = 0
    """Counts every change of the plan's shape; changes of the plan are compare-and-set on it."""
    version: int = 1
    replans: int = 0
    reviews: int = 0
    trace: str
    """W3C traceparent of the run's root span."""
    created_at: datetime
    finished_at: datetime | None = None
    outcome: Outcome | None = None


def state(status: RunStatus, subtasks: Iterable[Subtask]) -> RunState:
    """The state people see: a running run waits when some subtask waits for a person and none goes on by itself.

    A subtask that waits until a certain time goes on by itself, unless that is never.
    """
    if status != "running":
        return status
    alive = [one for one in subtasks if one.status not in FINAL]
    asks = any(one.status is Status.WAITING and one.wake_at in {None, NEVER} for one in alive)
    moves = any(one.status in {Status.READY, Status.RUNNING} or one.wake_at not in {None, NEVER} for one in alive)
    return "waiting" if asks and not moves else "running"
