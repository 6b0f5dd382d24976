"""The changes a station may ask for; the store applies a list of them in one transaction, all or none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from orchestrator.domain.budget import Account, Amounts, Kind, OnLimit, Tariff
from orchestrator.domain.caps import RunCaps
from orchestrator.domain.effect import EffectIntent, EffectOutcome
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import Actor
from orchestrator.domain.observation import Observation
from orchestrator.domain.run import Outcome, Run
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import Edge, NewSubtask, Status
from orchestrator.domain.ticket import Ticket

LimitDecision = Literal["more", "again", "stop"]


@dataclass(frozen=True, slots=True)
class Fence:
    """The right to write for a subtask: every transaction of a turn begins by checking it."""

    subtask_id: str
    owner: str
    epoch: int
    step: int
    tariff: Tariff | None = None
    """Where a limit concerns the run: what it uses is charged with it, at this price when none is known."""


@dataclass(frozen=True, slots=True)
class OpenRun:
    """Insert a run."""

    run: Run


@dataclass(frozen=True, slots=True)
class ExpectPlan:
    """Go on only if the plan's shape is still the one that was read; else ConflictError."""

    run_id: str
    revision: int


@dataclass(frozen=True, slots=True)
class RevisePlan:
    """Compare-and-set on the plan's revision, which goes up by one; else ConflictError."""

    run_id: str
    revision: int
    version: int
    replans: int
    reviews: int


@dataclass(frozen=True, slots=True)
class AddSubtasks:
    """Insert subtasks, numbered in this order, and edges; a subtask or an edge that exists already is left as it is.

    An edge may lead to a subtask that is still blocked (or, of a group being spread, running); ConflictError if it
    has gone on. An edge from a subtask that has ended is released at once, as `needs` says.
    Subtasks without unmet edges become ready.
    """

    run_id: str
    subtasks: tuple[NewSubtask, ...]
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceUnstarted:
    """Skip every specialist and group of the run that is blocked or ready and was never claimed, release their edges.

    What was claimed before has started, as a group that waits for its children; so have those children.
    """

    run_id: str
    because: str


@dataclass(frozen=True, slots=True)
class SaveStep:
    """Insert or complete a step of the fenced subtask, with its observations; adds to the time worked."""

    subtask_id: str
    step: Step
    observations: tuple[Observation, ...] = ()


@dataclass(frozen=True, slots=True)
class SaveIntents:
    """Write down calls with an effect before they start."""

    intents: tuple[EffectIntent, ...]


@dataclass(frozen=True, slots=True)
class CloseIntents:
    """Write down how calls with an effect ended."""

    outcomes: tuple[EffectOutcome, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """The fenced subtask waits: for its open tickets, or until `wake_at`. `put_off`: count it as a try."""

    subtask_id: str
    wake_at: datetime | None = None
    put_off: bool = False


@dataclass(frozen=True, slots=True)
class Yield:
    """The fenced subtask gives its worker back and is ready again."""

    subtask_id: str


@dataclass(frozen=True, slots=True)
class BreakOff:
    """Something of ours broke in a turn of the fenced subtask: like the death of its worker, but it is known why. It is
    tried again then."""

    subtask_id: str
    trouble: str
    again_at: datetime


@dataclass(frozen=True, slots=True)
class Spread:
    """The fenced group has added all its children: it is blocked until they have ended."""

    subtask_id: str


@dataclass(frozen=True, slots=True)
class Settle:
    """The fenced subtask ends with an immutable finding.

    ConflictError if an edge from it is left unreleased, unless `holds`: a new plan will release its dependents.
    """

    subtask_id: str
    status: Status
    finding: Finding
    holds: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """Take one edge away, once; a dependent at zero becomes ready. `satisfied` False: it will be skipped."""

    edge: Edge
    satisfied: bool
    because: str = ""


@dataclass(frozen=True, slots=True)
class OpenTicket:
    """Insert a ticket."""

    ticket: Ticket


@dataclass(frozen=True, slots=True)
class CloseTicket:
    """Close an open ticket; its subtask becomes ready when no other ticket of it is open. ConflictError if closed."""

    ticket_id: str
    status: str
    answer: str | None
    comment: str
    actor: Actor


@dataclass(frozen=True, slots=True)
class Wake:
    """A subtask whose `wake_at` has passed and that has no open ticket becomes ready."""

    subtask_id: str


@dataclass(frozen=True, slots=True)
class Defer:
    """A ready subtask over which at least so many workers have died waits until then, without ever being claimed."""

    subtask_id: str
    deaths: int
    until: datetime


@dataclass(frozen=True, slots=True)
class Reclaim:
    """Take a running subtask from an owner whose lease has passed: it is ready again, with one more death."""

    subtask_id: str
    owner: str
    epoch: int


@dataclass(frozen=True, slots=True)
class GiveUp:
    """A running subtask is left by its owner, which ends in order before the turn did: ready again, and nobody died.
    What the turn had set aside is charged in full, for its call may still be answered."""

    subtask_id: str
    owner: str
    epoch: int


@dataclass(frozen=True, slots=True)
class EndRun:
    """The run ends."""

    run_id: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Cancel a running run: its subtasks that have not ended, and its open tickets. ConflictError if it has ended."""

    run_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class StopWork:
    """Cancel the subtasks of a running run that have not ended, and its open tickets; the run goes on, to undo what
    it did. Subtasks that are added after this change are not concerned."""

    run_id: str


@dataclass(frozen=True, slots=True)
class OpenAccounts:
    """Open the accounts of a new run; those of its team and tenant get the limits that hold from now on."""

    accounts: tuple[Account, ...]
    on_limit: OnLimit
    unlimited: Mapping[str, frozenset[Kind]] = field(default_factory=dict[str, frozenset[Kind]])
    """Account → the kinds whose limit does not hold any more, if there was one."""


@dataclass(frozen=True, slots=True)
class Reserve:
    """Set aside what the fenced subtask's next call may use at most, in place of what was set aside for the last one.

    What is refused stands in `Applied.refusal`; then nothing is set aside. The step's `SaveStep` settles it: it charges
    what was used. The turn's end gives the rest back; if its worker dies, all of it is charged.
    """

    run_id: str
    subtask_id: str
    need: Amounts
    keep: Amounts = field(default_factory=Amounts)
    """Has to be free beside it and is kept for the subtask until its turn ends, for a call after this one; it is never
    charged by itself."""


@dataclass(frozen=True, slots=True)
class SettleReservation:
    """Charge all that was set aside for a call whose reply never came, since it may have been paid for."""

    subtask_id: str


@dataclass(frozen=True, slots=True)
class AwaitMore:
    """The fenced subtask waits until a person decides about a limit of its run; the first one asks, by this ticket.

    If a person has decided since `asks` was read, the subtask is ready again instead.
    """

    run_id: str
    subtask_id: str
    kind: Kind
    asks: int
    ticket: Ticket


@dataclass(frozen=True, slots=True)
class Allow:
    """A person decided about a limit of a run; whoever waited for that is ready.

    `more`: as much again as is allowed now; `again`: the limit was not the run's own, look at it again; `stop`: whoever
    reaches it stops.
    """

    run_id: str
    kind: Kind
    decision: LimitDecision


@dataclass(frozen=True, slots=True)
class CapRun:
    """Caps concern a new run: its subtasks need places. Pools of its team get the caps that hold from now on."""

    run_id: str
    caps: RunCaps


@dataclass(frozen=True, slots=True)
class Admit:
    """Subtasks that a cap held back may be claimed now; those that are not held back any more are left alone."""

    subtask_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """One entry of the run's audit chain."""

    run_id: str
    actor: Actor
    action: str
    detail: str = ""


Change = (
    OpenRun
    | ExpectPlan
    | RevisePlan
    | AddSubtasks
    | ReplaceUnstarted
    | SaveStep
    | SaveIntents
    | CloseIntents
    | Wait
    | Yield
    | BreakOff
    | Spread
    | Settle
    | Release
    | OpenTicket
    | CloseTicket
    | Wake
    | Defer
    | Reclaim
    | GiveUp
    | EndRun
    | CancelRun
    | StopWork
    | OpenAccounts
    | Reserve
    | SettleReservation
    | AwaitMore
    | Allow
    | CapRun
    | Admit
    | Note
)
