"""One tool call: validate, authorise, run, trim; whatever happens, the agent gets an observation to read."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from rapidfuzz import process

from agents.arguments import checked
from agents.errors import ToolError
from agents.isolation import Isolation
from agents.models.base import ToolSpec
from agents.observing import Observed, failed, succeeded
from agents.tools.calling import called
from agents.tools.function import Ask, Tool, ToolResult
from orchestrator.domain.step import Effect, StepCall
from orchestrator.domain.ticket import TicketDraft
from orchestrator.errors import TeamError
from orchestrator.ports.clock import Deadline

__all__ = ["Asked", "Evidence", "Observed", "Toolbox", "failed", "succeeded"]

READER = "evidence.read"
"""The tool that reads more of a stored result; what was left out is offered only to agents that have it."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that only a person can answer."""

    call_id: str
    draft: TicketDraft


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

    def run(self, call: StepCall, ref: str, deadline: Deadline, key: str) -> Observed | Asked:
        """Answer the call; errors of every kind come back as observations, the tool's and our own."""
        try:
            return self._answer(call, ref, deadline, key)
        except ToolError as error:
            return failed(call, ref, error)
        except Exception as error:  # noqa: BLE001  # the last line: a call without an answer would break the transcript
            _log.exception("a defect of ours while %s answered %s", call.tool, ref)
            what = f"a defect in Remit stopped this call: {type(error).__name__}"
            return failed(call, ref, ToolError("defect", what, hint="Go on without it, or ask a person."))

    def _answer(self, call: StepCall, ref: str, deadline: Deadline, key: str) -> Observed | Asked:
        tool = self._tools.get(call.tool)
        if tool is None:
            raise self._unknown(call.tool)
        arguments = checked(tool, call)
        until = deadline.sooner(tool.seconds)
        if until.passed():
            raise ToolError("no_time", f"there was no time left to run {tool.name}", hint="Answer with what is known.")
        context = _Context(self._evidence, until, key)
        if tool.isolated:
            result = self._isolation.run(tool, arguments, context, until)
        else:
            result = called(tool, arguments, context)
        if isinstance(result, Ask):
            return Asked(call.id, result.draft)
        return self._kept(tool, call, ref, result)

    def _kept(self, tool: Tool, call: StepCall, ref: str, result: ToolResult) -> Observed:
        readable = READER in self._tools
        try:
            return succeeded(call, ref, result, readable=readable)
        except ToolError as error:
            if tool.effect == "read":
                raise
            # The effect has happened: an error here would invite the agent to do it again.
            summary = f"{tool.name} was carried out, but {error.what}. Do not repeat it. {result.summary}"
            return succeeded(call, ref, ToolResult(summary=summary), readable=readable)

    def _unknown(self, name: str) -> ToolError:
        nearest = [found for found, _, _ in process.extract(name, list(self._tools), limit=None)]
        have = "You have: " + ", ".join(nearest) + "." if nearest else "You have no tools: answer with what is known."
        return ToolError("unknown_tool", f"there is no tool `{name[:80]}`", hint=have)


@lru_cache(maxsize=512)
def _spec(tool: Tool) -> ToolSpec:
    """Computed once a tool: pydantic takes longer for a schema than a step may cost."""
    return ToolSpec(tool.name, tool.description, tool.schema())
