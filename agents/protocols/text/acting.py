"""Reads one labelled action: which tool, with which arguments, in an Action Input or behind the tool's name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.protocols.text.forms import read_form
from agents.protocols.text.found import Found, call_parts
from agents.protocols.text.input import Given, read_input
from agents.protocols.text.notation import NotationError, Read, read_value
from agents.protocols.text.offered import OfferedTool
from agents.protocols.text.region import Region
from agents.protocols.text.tool_names import ANSWERS, NONE, cleaned, named_tool, split_name
from agents.protocols.text.unfit import check_exact, missing, needs_input

_LINE = re.compile(r"\s*(?:```[\w+-]*[ \t]*\n\s*)?")


@dataclass(frozen=True, slots=True)
class Named:
    """An action by its first line: the tool, or the name of one that does not exist, and where that name ends."""

    tool: OfferedTool | None
    name: str
    behind: Region
    call: Found | None = None
    """Set when the action was written as one JSON object with name and arguments."""

    @property
    def nothing(self) -> bool:
        """True for `Action: None`."""
        return self.tool is None and (not self.name or self.name.casefold() in NONE)

    @property
    def answers(self) -> bool:
        """True for `Action: Finish`, which some models write for a final answer."""
        return self.tool is None and self.name.replace("_", " ").casefold() in ANSWERS


def read_named(region: Region, tools: Sequence[OfferedTool]) -> Named:
    """The action whose text is `region`."""
    opened = _LINE.match(region.text, region.at, region.end)
    at = opened.end() if opened else region.at
    if region.text[at : at + 1] in {"{", "["} and (call := _call(region, at, tools)):
        return Named(call.tool, cleaned(call.name), Region(region.text, call.end, region.end), call)
    end = region.text.find("\n", at, region.end)
    line = region.text[at : region.end if end < 0 else end]
    tool, name, rest = split_name(line, tools)
    return Named(tool, name, Region(region.text, at + len(line) - len(rest), region.end))


def read_arguments(named: Named, inputs: Region | None) -> Given:
    """The arguments of an action. Raises UnfitError, also when a tool with an effect was not called exactly."""
    if named.call is not None:
        return named.call.given()
    tool = named.tool
    if tool is None:
        return _of_unknown(inputs)
    if inputs is not None:
        given = read_input(inputs.text, inputs.at, inputs.end, tool)
    else:
        behind = named.behind
        given = read_form(behind.text, behind.at, behind.end, tool) or Given({}, behind.at)
        if not given.arguments and needs_input(tool):
            raise missing(tool)
    check_exact(tool, given.liberties)
    return given


def read_finish(named: Named, inputs: Region | None) -> str:
    """The answer of an action that ends the work: `Finish[42]`, or `Final Answer` with its input."""
    if named.call is not None:
        sent = named.call.sent
        return sent if isinstance(sent, str) else named.call.raw()
    content = (inputs or named.behind).content.strip()
    if inputs is None and content[:1] in {"[", "("} and content[-1:] in {"]", ")"}:
        content = content[1:-1].strip()
    try:
        read = read_value(content)
    except NotationError:
        return content
    return read.value if isinstance(read.value, str) and not content[read.end :].strip() else content


def _call(region: Region, at: int, tools: Sequence[OfferedTool]) -> Found | None:
    try:
        read: Read = read_value(region.text, at)
    except NotationError:
        return None
    value: object = read.value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    part = call_parts(value)
    return Found(part[0], named_tool(part[0], tools), part[1], at, read.end, read.liberties) if part else None


def _of_unknown(inputs: Region | None) -> Given:
    """What was sent to a tool that does not exist, as far as it can be read: the answer names the tools there are."""
    if inputs is None:
        return Given({}, 0)
    at = inputs.at + len(inputs.content) - len(inputs.content.lstrip(" \t\r\n`json"))
    try:
        read = read_value(inputs.text, at)
    except NotationError:
        return Given({}, inputs.end)
    return Given(read.value if isinstance(read.value, dict) else {}, read.end)
