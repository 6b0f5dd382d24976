"""The named points at which chaos may break something, and what may happen at each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Fault = Literal["kill", "stop", "term", "error", "lose", "twice", "flush", "cut", "delay"]
"""`kill`: SIGKILL. `stop`: SIGSTOP for longer than the lease. `term`: SIGTERM. `error`: the call fails, or its answer
is lost. `lose`: what should be sent or heard is not. `twice`: it is, twice. `flush`: FLUSHALL. `cut`: connections are
dropped. `delay`: everything waits for a moment."""

LETTERS: Mapping[Fault, str] = MappingProxyType(
    {
        "kill": "k",
        "stop": "s",
        "term": "t",
        "error": "e",
        "lose": "l",
        "twice": "2",
        "flush": "f",
        "cut": "c",
        "delay": "d",
    }
)


Family = Literal["rows", "wake-ups", "calls", "undoing", "ends", "outside"]

SHARES: Mapping[Family, float] = MappingProxyType(
    {"rows": 0.25, "wake-ups": 0.1, "calls": 0.3, "undoing": 0.1, "ends": 0.1, "outside": 0.15}
)
"""Which share of a round's faults each family gets; a run comes to some of them much earlier than to others."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point; `may` gives the weight of each fault that is possible there."""

    name: str
    about: str
    may: Mapping[Fault, int]

    @property
    def family(self) -> Family:
        """Whose share of the faults it draws on."""
        stem = self.name.rpartition(".")[0]
        if stem in _EFFECTS:
            return "calls"
        if stem in _ENDS:
            return "ends"
        return _FAMILIES.get(self.name.partition(".")[0], "rows")


_FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "wakeup": "wake-ups",
        "receive": "wake-ups",
        "model": "calls",
        "tool": "calls",
        "rate": "calls",
        "verify": "calls",
        "send": "calls",
        "child": "calls",
        "look": "calls",
        "undo": "undoing",
        "back": "undoing",
        "outside": "outside",
        "command": "outside",
    }
)
_EFFECTS = frozenset({"commit.intent", "commit.outcome"})
_ENDS = frozenset({"commit.finding", "commit.end", "commit.other", "blob", "trace"})
"""What a run comes to last, and seldom: by then the other families have met all they may."""

_PROCESS: Mapping[Fault, int] = {"kill": 8, "stop": 2, "term": 1, "delay": 1}
_BEFORE_COMMIT: Mapping[Fault, int] = {**_PROCESS, "error": 2, "flush": 1, "cut": 1}
_AFTER_COMMIT: Mapping[Fault, int] = {**_PROCESS, "error": 2}
_LINE: Mapping[Fault, int] = {"kill": 8, "stop": 2, "cut": 3}
_ERRAND: Mapping[Fault, int] = {**_PROCESS, "error": 3}

COMMITS: Mapping[str, str] = MappingProxyType(
    {
        "plan": "subtasks and edges of a plan, and the spreading of a mapped subtask",
        "reserve": "what the next call of a model may use",
        "step": "a reply with what came of its reading calls",
        "intent": "the intent of a call with an effect",
        "outcome": "how a call with an effect ended",
        "question": "a ticket, with the step that asks",
        "yield": "a subtask that is given back, or waits",
        "finding": "the finding of a subtask, with what it releases",
        "end": "the end of the run",
        "sweep": "what a sweep moves: the dead worker's subtask, the time to wake",
        "other": "anything else",
    }
)
"""Kind of a transaction → what it writes."""


def _commit_points() -> Sequence[Point]:
    found: list[Point] = []
    for kind, about in COMMITS.items():
        found.append(Point(f"commit.{kind}.before", f"before the commit of {about}", _BEFORE_COMMIT))
        found.append(Point(f"commit.{kind}.after", f"after it, before anybody knows ({kind})", _AFTER_COMMIT))
    return found


_OTHERS: Sequence[Point] = (
    Point("claim.before", "before a subtask is claimed", _BEFORE_COMMIT),
    Point("claim.after", "after it was claimed", _AFTER_COMMIT),
    Point("lease.before", "before the lease is renewed", _BEFORE_COMMIT),
    Point("lease.after", "after it was renewed", _AFTER_COMMIT),
    Point("read", "before anything is read from the database", {"kill": 2, "error": 6, "delay": 1}),
    Point("wakeup.before", "before wake-ups are sent", {**_PROCESS, "lose": 4, "twice": 4, "flush": 2, "cut": 2}),
    Point("wakeup.after", "after they were sent", {**_PROCESS, "flush": 2, "cut": 2}),
    Point("receive", "a wake-up has arrived", {**_PROCESS, "lose": 4, "twice": 4}),
    Point("blob.before", "before a blob is stored", {**_PROCESS, "error": 2}),
    Point("blob.after", "after it was stored", {**_PROCESS, "error": 2}),
    Point("blob.read", "before a blob is read", {"kill": 2, "error": 2, "delay": 1}),
    Point("trace.before", "before the span of a whole run is exported", _PROCESS),
    Point("trace.after", "after it was, before anybody knows", _PROCESS),
    Point("rate.before", "before the limiter is asked or told", {**_PROCESS, "flush": 2, "cut": 2}),
    Point("rate.after", "after it has answered", {**_PROCESS, "flush": 2, "cut": 2}),
    Point("model.before", "before a model is asked, which may not be reached", {**_PROCESS, "error": 2}),
    Point("model.after", "its reply has come, or was lost, and is not stored", {**_PROCESS, "error": 2}),
    Point("tool.before", "before a tool is called", _PROCESS),
    Point("tool.begun", "inside the call, before anything is sent", _PROCESS),
    Point("tool.after", "it has returned and nothing is stored", _PROCESS),
    Point("undo.before", "before a call of a cancelled run is looked after, undone or asked about", _PROCESS),
    Point("undo.begun", "inside that, before anything is sent", _PROCESS),
    Point("undo.after", "it has returned and nothing is stored", _PROCESS),
    Point("verify.before", "before a tool is asked whether it happened", _PROCESS),
    Point("verify.after", "after it has said so", _PROCESS),
)

_OF_LEDGER: Sequence[Point] = (
    Point("send.arrived", "a request is at the outer system, which has done nothing", _LINE),
    Point("send.done", "the outer system has done it and not answered", _LINE),
    Point("child.arrived", "the same where a child process of the worker has asked", _LINE),
    Point("child.done", "the same after it was done", _LINE),
    Point("back.arrived", "a request to undo is at the outer system, which has done nothing", _LINE),
    Point("back.done", "the outer system has undone it and not answered", _LINE),
    Point("look.arrived", "the outer system is asked whether it happened", {"kill": 4, "stop": 1, "cut": 2}),
)
"""The outer system does it to whoever asks; `cut` drops that connection."""

_FROM_OUTSIDE: Sequence[Point] = (
    Point("command.before", "where a command hands in, answers or cancels, before it writes anything", _ERRAND),
    Point("command.after", "after it was written, before it knows", _ERRAND),
    Point("outside.workers", "all workers at once", {"kill": 1}),
    Point("outside.supervisor", "the supervisor, and with it broker and workers", {"kill": 1}),
    Point("outside.broker", "the broker", {"kill": 3, "flush": 2, "cut": 2}),
    Point("outside.database", "the database: locked, or its connections cut", {"cut": 1}),
)
"""Done by the command itself, at any moment."""

POINTS: Mapping[str, Point] = MappingProxyType(
    {one.name: one for one in (*_OTHERS[:4], *_commit_points(), *_OTHERS[4:], *_OF_LEDGER, *_FROM_OUTSIDE)}
)
