"""One tool call: validate, authorise, run, trim; whatever happens, the agent gets an observation to read."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel
from rapidfuzz import process

from agents.arguments import checked, read_otherwise
from agents.errors import ToolError
from agents.isolation import Isolation
from agents.models.base import ToolSpec
from agents.observing import Observed, failed, succeeded
from agents.tools.calling import OPEN, called, carried_out, no_time, previewed, verified
from agents.tools.function import Ask, Happened, NotHappened, Tool, ToolResult, Unknown
from orchestrator.domain.step import Effect, StepCall
from orchestrator.domain.ticket import TicketDraft
from orchestrator.errors import FencedError, TeamError
from orchestrator.ports.clock import Deadline

__all__ = ["Asked", "Evidence", "Observed", "Toolbox", "Uncertain", "failed", "succeeded"]

READER = "evidence.read"
"""The tool that reads more of a stored result; what was left out is offered only to agents that have it."""
_NO_SOURCE = frozenset({READER, "calculator", "clock", "escalate"})
"""Tools that only read, and yet find nothing out about the world."""
EMPTY = "Nothing was found. If other arguments do not help either, try {tools}."
_log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that only a person can answer."""

    call_id: str
    draft: TicketDraft


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A call with an effect that went wrong so that nobody knows whether it took effect; it stays open."""

    call_id: str
    why: str


class Evidence(Protocol):
    """What tools may see of the run; the worker gives it. Each method raises ToolError for what does not exist."""

    def input(self, name: str) -> Path:
        """The local copy of the run's input file `name`."""
        ...

    def input_names(self) -> Mapping[str, str]:
        """Input name → original file name."""
        ...

    def observed(self, ref: str) -> Any:
        """The `data` of the run's observation `ref`, as JSON values."""
        ...

    def files(self) -> Mapping[str, int]:
        """`E4.2/name` → bytes, of every file that tools of the run made."""
        ...

    def file(self, name: str) -> Path:
        """The local copy of such a file."""
        ...

    def setting(self, name: str) -> str | None:
        """What the installation sets for tools; None: it is not set."""
        ...


@dataclass(frozen=True, slots=True)
class _Context:
    """What a tool is given: the run's evidence and the limits of this one call."""

    evidence: Evidence
    deadline: Deadline
    idempotency_key: str

    def input(self, name: str) -> Path:
        return self.evidence.input(name)

    def input_names(self) -> Mapping[str, str]:
        return self.evidence.input_names()

    def observed(self, ref: str) -> Any:
        return self.evidence.observed(ref)

    def files(self) -> Mapping[str, int]:
        return self.evidence.files()

    def file(self, name: str) -> Path:
        return self.evidence.file(name)

    def setting(self, name: str) -> str | None:
        return self.evidence.setting(name)


class Toolbox:
    """The tools of one agent. Safe to use from several threads at once."""

    def __init__(self, tools: Sequence[Tool], evidence: Evidence, isolation: Isolation) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) < len(tools):
            twice = sorted({tool.name for tool in tools if [one.name for one in tools].count(tool.name) > 1})
            raise TeamError(f"two tools are called `{twice[0]}`", where="toolbox", mend="Rename one of them.")
        self._evidence = evidence
        self._isolation = isolation

    def specs(self) -> tuple[ToolSpec, ...]:
        """What a model is told of the tools."""
        return tuple(_spec(tool) for tool in self._tools.values())

    def effect(self, call: StepCall) -> Effect | None:
        """What the call does to the world; None: there is no such tool."""
        tool = self._tools.get(call.tool)
        return tool.effect if tool else None

    def seconds(self, call: StepCall) -> float:
        """How long the call may take."""
        tool = self._tools.get(call.tool)
        return tool.seconds if tool else 1.0

    def intention(self, call: StepCall) -> Mapping[str, Any] | None:
        """The arguments that a call with an effect will be begun with; None: it has none, or will not be begun."""
        tool = self._tools.get(call.tool)
        if tool is None or tool.effect == "read":
            return None
        try:
            return checked(tool, call).model_dump(mode="json")
        except ToolError:
            return None

    def shows_first(self, call: StepCall) -> bool:
        """True when the agent has to see what the call would do before it may repeat it to have it done."""
        tool = self._tools.get(call.tool)
        return tool is not None and tool.effect == "unsafe" and tool.preview is not None

    def run(
        self, call: StepCall, ref: str, deadline: Deadline, key: str, begin: Callable[[], None] = lambda: None
    ) -> Observed | Asked | Uncertain:
        """Answer the call; errors of every kind come back as observations, the tool's and our own.

        `begin` is asked at the last moment before the tool starts. Raises only what that raises: FencedError.
        """
        return self._noted(call, self._guarded(call, ref, lambda: self._answer(call, ref, deadline, key, begin)))

    def preview(
        self, call: StepCall, ref: str, deadline: Deadline, key: str, begin: Callable[[], None] = lambda: None
    ) -> Observed:
        """Show what the call would do, without doing it. `begin` as for `run`."""
        return self._noted(call, self._guarded(call, ref, lambda: self._preview(call, ref, deadline, key, begin)))

    def find_out(self, call: StepCall, ref: str, deadline: Deadline, key: str) -> Observed | NotHappened | Unknown:
        """Whether the call took effect: its observation if it did."""
        tool = self._tools.get(call.tool)
        if tool is None:
            return Unknown(f"There is no tool `{call.tool}` any more.")
        try:
            arguments = checked(tool, call)
        except ToolError as error:
            return Unknown(f"Its arguments are not accepted any more: {error.what}")
        outcome = verified(tool, arguments, self._context(tool, deadline, key))
        return self._kept(tool, call, ref, outcome.result) if isinstance(outcome, Happened) else outcome

    def _noted(self, call: StepCall, one: T | Observed) -> T | Observed:
        """An observation with a word on each liberty that was taken in reading the call."""
        tool = self._tools.get(call.tool)
        notes = (*call.notes, *(read_otherwise(tool, call) if tool else ()))
        if not notes or not isinstance(one, Observed):
            return one
        return replace(one, shown="\n".join((one.shown, *(f"Note: {note}" for note in notes))))

    def _guarded(self, call: StepCall, ref: str, answer: Callable[[], T]) -> T | Observed:
        try:
            return answer()
        except ToolError as error:
            return failed(call, ref, error)
        except FencedError:
            raise
        except Exception as error:  # noqa: BLE001  # the last line: a call without an answer would break the transcript
            _log.exception("a defect of ours while %s answered %s", call.tool, ref)
            what = f"a defect in Remit stopped this call: {type(error).__name__}"
            return failed(call, ref, ToolError("defect", what, hint="Go on without it, or ask a person."))

    def _answer(
        self, call: StepCall, ref: str, deadline: Deadline, key: str, begin: Callable[[], None]
    ) -> Observed | Asked | Uncertain:
        tool, arguments = self._checked(call)
        context = self._context(tool, deadline, key)
        if context.deadline.passed():
            raise no_time(tool)
        try:
            result = self._result(tool, arguments, context, begin)
            return Asked(call.id, result.draft) if isinstance(result, Ask) else self._kept(tool, call, ref, result)
        except FencedError:
            raise
        except ToolError as error:
            if tool.effect == "read" or error.code not in OPEN:
                raise
            return Uncertain(call.id, error.what)
        except Exception as error:
            if tool.effect == "read":
                raise
            _log.exception("a defect of ours while %s answered %s", call.tool, ref)
            return Uncertain(call.id, f"a defect in Remit stopped this call: {type(error).__name__}")

    def _result(
        self, tool: Tool, arguments: BaseModel, context: _Context, begin: Callable[[], None]
    ) -> ToolResult | Ask:
        if tool.isolated:
            return self._isolation.run(tool, arguments, context, context.deadline, begin)
        begin()
        return called(tool, arguments, context)

    def _preview(self, call: StepCall, ref: str, deadline: Deadline, key: str, begin: Callable[[], None]) -> Observed:
        tool, arguments = self._checked(call)
        begin()
        shown = previewed(tool, arguments, self._context(tool, deadline, key))
        told = f"Preview, nothing was done yet. To have it done, repeat the same call. {shown.summary}"
        readable = READER in self._tools
        observed = succeeded(call, ref, replace(shown, summary=told), readable=readable)
        return replace(observed, preview=True)

    def _checked(self, call: StepCall) -> tuple[Tool, BaseModel]:
        tool = self._tools.get(call.tool)
        if tool is None:
            raise self._unknown(call.tool)
        return tool, checked(tool, call)

    def _context(self, tool: Tool, deadline: Deadline, key: str) -> _Context:
        return _Context(self._evidence, deadline.sooner(tool.seconds), key)

    def _kept(self, tool: Tool, call: StepCall, ref: str, result: ToolResult) -> Observed:
        readable = READER in self._tools
        try:
            observed = succeeded(call, ref, result, readable=readable)
        except ToolError as error:
            if tool.effect == "read":
                raise
            return succeeded(call, ref, carried_out(tool, error, result.summary), readable=readable)
        told = self._instead(tool) if result.empty else None
        return replace(observed, shown=f"{observed.shown}\n{told}") if told else observed

    def _instead(self, tool: Tool) -> str | None:
        """What else may find it: the tools that only read and stand behind this one in the team's order."""
        order = list(self._tools.values())
        later = [
            one.name for one in order[order.index(tool) + 1 :] if one.effect == "read" and one.name not in _NO_SOURCE
        ]
        return EMPTY.format(tools=", then ".join(f"`{name}`" for name in later)) if later else None

    def _unknown(self, name: str) -> ToolError:
        nearest = [found for found, _, _ in process.extract(name, list(self._tools), limit=None)]
        have = "You have: " + ", ".join(nearest) + "." if nearest else "You have no tools: answer with what is known."
        return ToolError("unknown_tool", f"there is no tool `{name[:80]}`", hint=have)


@lru_cache(maxsize=512)
def _spec(tool: Tool) -> ToolSpec:
    """Computed once a tool: pydantic takes longer for a schema than a step may cost."""
    return ToolSpec(tool.name, tool.description, tool.schema(), tool.effect)
