"""A subtask: one unit of work for one agent, what it is to do and where it stands."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

from orchestrator.domain.plan import FixedCall, Needs, Over
from orchestrator.domain.record import Record


class Status(StrEnum):
    """Where a subtask stands. A run's `waiting` is derived from these, never stored."""

    BLOCKED = "blocked"
    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


FINAL = frozenset({Status.DONE, Status.PARTIAL, Status.FAILED, Status.SKIPPED, Status.CANCELLED})
USABLE = frozenset({Status.DONE, Status.PARTIAL})
NEVER = datetime(9999, 12, 31, tzinfo=UTC)
"""The `wake_at` of a subtask that waits for what another one asked a person: it is woken by what follows from that."""
UNSTARTED = frozenset({Status.BLOCKED, Status.READY})

Lane = Literal["interactive", "batch"]
"""Who waits for it: a person, or nobody. Of what is ready, interactive work goes first."""

Kind = Literal["planner", "specialist", "group", "composer", "reviewer", "undo"]
"""All are worked on by the same mechanism; a `group` is a mapped subtask's row: it spreads and joins its children.
`undo` undoes what a run did that was cancelled."""


class SubtaskSpec(Record):
    """What is to be done; never changes once written."""

    kind: Kind
    agent: str
    title: str
    instruction: str
    inputs: tuple[str, ...] = ()
    over: Over | None = None
    item: Any = None
    """The item of a mapped subtask's child."""
    feedback: tuple[str, ...] = ()
    """Why an earlier attempt at the same thing was sent back."""
    call: FixedCall | None = None
    """Done without a model: this call is made and what it gives is the finding."""
    output: dict[str, Any] | None = None
    """The JSON Schema that the `data` of its finding has to fit."""
    around: tuple[str, ...] = ()
    """Of a planner that replans: the ids of the failed subtasks."""


class NewSubtask(Record):
    """A subtask before it is a row. `id` is `<run>/<key>`; a successor's key ends in `@<plan version>`."""

    id: str
    run_id: str
    key: str
    version: int
    spec: SubtaskSpec
    parent_id: str | None = None
    priority: int = 0


class Subtask(NewSubtask):
    """A subtask as a row. `number` is its number in the run, used in `E<number>.<n>`."""

    number: int
    status: Status
    epoch: int = 0
    owner: str | None = None
    step: int = 0
    unmet: int = 0
    deaths: int = 0
    """How many workers died while they worked on it, or broke off."""
    trouble: str | None = None
    """What the last of them broke off with; none when it died."""
    tries: int = 0
    """How often it was put off since its last step because something outside did not answer."""
    worked_seconds: float = 0.0
    skip_because: str | None = None
    wake_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


class Edge(Record):
    """`to_id` waits for `from_id`."""

    from_id: str
    to_id: str
    needs: Needs = "done"


def subtask_id(run_id: str, key: str) -> str:
    """The id of the subtask `key` of a run: the same however often it is computed, so inserting twice is harmless."""
    return f"{run_id}/{key}"


def lane_of(priority: int) -> Lane:
    """The lane of a subtask: those with a priority below nought are nobody's concern at this moment."""
    return "interactive" if priority >= 0 else "batch"


def base_key(key: str) -> str:
    """The plan's own name of a subtask, without the mark of a later version: `match@2` → `match`."""
    return key.split("@", 1)[0]
