"""The tools of undoing: looking whether a call happened, undoing it, asking a person where that failed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from agents.arguments import checked
from agents.errors import ToolError
from agents.tools.calling import verified
from agents.tools.function import Ask, Happened, NotHappened, Tool, ToolContext, ToolResult
from agents.undoing import ASK, LOOK, Deed, undo_name
from orchestrator.domain.step import StepCall
from orchestrator.domain.ticket import Choice, TicketDraft
from orchestrator.ports.clock import Deadline


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    effect: str


class _AskArguments(_Arguments):
    attempt: int
    why: str


class _UndoArguments(_Arguments):
    attempt: int
    arguments: dict[str, Any]
    ref: str | None
    looked: bool


@dataclass(frozen=True, slots=True)
class _Then:
    """The context of the call that is looked after or undone: it has that call's key."""

    now: ToolContext
    idempotency_key: str

    @property
    def deadline(self) -> Deadline:
        return self.now.deadline

    def input(self, name: str) -> Path:
        return self.now.input(name)

    def input_names(self) -> Mapping[str, str]:
        return self.now.input_names()

    def observed(self, ref: str) -> Any:
        return self.now.observed(ref)

    def files(self) -> Mapping[str, int]:
        return self.now.files()

    def file(self, name: str) -> Path:
        return self.now.file(name)

    def setting(self, name: str) -> str | None:
        return self.now.setting(name)


def undo_tools(deeds: Sequence[Deed], tools: Mapping[str, Tool]) -> list[Tool]:
    """What undoing the deeds needs; `tools`: the tools that did them, by name."""
    by_key = {deed.key: deed for deed in deeds}
    used = {deed.tool: tools[deed.tool] for deed in deeds if deed.undoable}
    return [_looking(by_key, used), _asking(by_key), *map(_undoing, used.values())]


def _looking(deeds: Mapping[str, Deed], tools: Mapping[str, Tool]) -> Tool:
    def look(effect: str, context: ToolContext) -> ToolResult | Ask:
        deed = deeds[effect]
        tool = tools[deed.tool]
        try:
            arguments = _read(tool, deed.arguments)
        except ToolError as error:
            return Ask(_whether_it_happened(deed, error.what))
        outcome = verified(tool, arguments, _Then(context, effect))
        match outcome:
            case Happened(result):
                data = {"effect": effect, "outcome": "happened", "data": result.data}
                return ToolResult(f"`{deed.tool}` happened.", data)
            case NotHappened():
                return ToolResult(f"`{deed.tool}` did not happen.", {"effect": effect, "outcome": "not_done"})
            case _:
                return Ask(_whether_it_happened(deed, outcome.why))

    seconds = max((tool.seconds for tool in tools.values()), default=1.0)
    return _tool(LOOK, "Find out whether a call happened.", _Arguments, look, seconds)


def _asking(deeds: Mapping[str, Deed]) -> Tool:
    def ask(effect: str, attempt: int, why: str) -> Ask:
        del attempt
        return Ask(_what_to_do(deeds[effect], why))

    return _tool(ASK, "Ask a person what to do about a call that could not be undone.", _AskArguments, ask, 1.0)


def _undoing(tool: Tool) -> Tool:
    def undo(
        *, effect: str, attempt: int, arguments: dict[str, Any], ref: str | None, looked: bool, context: ToolContext
    ) -> ToolResult:
        del attempt
        assert tool.compensate is not None
        seen = context.observed(ref) if ref else None
        data = seen.get("data") if looked and seen else seen
        result = tool.compensate(_read(tool, arguments), data, _Then(context, effect))
        if not isinstance(result, ToolResult):  # pyright: ignore[reportUnnecessaryIsInstance]  # what authors return
            return result
        return replace(result, data={"effect": effect, "data": result.data}, shown=None)

    name, what = undo_name(tool.name), f"Undo a call of {tool.name}."
    return replace(_tool(name, what, _UndoArguments, undo, tool.seconds), effect=tool.effect)


def _tool(name: str, description: str, arguments: type[BaseModel], function: Any, seconds: float) -> Tool:
    return Tool(
        name=name,
        description=description,
        effect="read",
        arguments=arguments,
        function=function,
        takes_context=name != ASK,
        seconds=seconds,
        isolated=False,
    )


def _read(tool: Tool, arguments: Mapping[str, Any]) -> BaseModel:
    """The arguments as the tool's function was given them. Raises ToolError when it takes others now."""
    if tool.compensate is None:
        raise ToolError("cannot_be_undone", f"{tool.name} does not say any more how it is undone")
    return checked(tool, StepCall(id="then", tool=tool.name, arguments=dict(arguments)))


def _whether_it_happened(deed: Deed, why: str) -> TicketDraft:
    return TicketDraft(
        kind="exception",
        question=f"The run was cancelled. Did `{deed.tool}` happen? If so, it is undone. {why}".strip(),
        tried=_known(deed),
        about=deed.key,
        choices=(
            Choice(value="happened", label="It happened; undo it"),
            Choice(value="not_done", label="It did not happen"),
            Choice(value="leave", label="It is unclear; leave it as it is"),
        ),
    )


def _what_to_do(deed: Deed, why: str) -> TicketDraft:
    return TicketDraft(
        kind="exception",
        question=f"The run was cancelled, and `{deed.tool}` could not be undone: {why} What shall be done?",
        tried=_known(deed),
        about=deed.key,
        choices=(
            Choice(value="again", label="Try again to undo it"),
            Choice(value="by_hand", label="I have undone it myself"),
            Choice(value="leave", label="Leave it as it is"),
        ),
    )


def _known(deed: Deed) -> str:
    return f"Arguments: {json.dumps(dict(deed.arguments), ensure_ascii=False)}. Key: {deed.key}."
