"""Reads calls where a server left them: in the text of the reply, or as arguments that are almost JSON."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.models.base import Call, ToolSpec
from agents.protocols.call_ids import own_id
from agents.protocols.names import own_name
from agents.protocols.text.embedded import BROKEN, calls_in
from agents.protocols.text.found import Found
from agents.protocols.text.readings import read_as
from agents.protocols.text.tool_names import ANSWERS, cleaned
from agents.protocols.text.unfit import UnfitError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """The text without its calls, the calls, and why a call that was begun in it cannot be read."""

    text: str
    calls: tuple[Call, ...] = ()
    faults: tuple[str, ...] = ()


def completed(reply: Leftovers, tools: Sequence[ToolSpec], step: int) -> Leftovers:
    """A reply that was not cut off, with its calls read as far as they can be, or those that stand in its text."""
    if not reply.calls:
        return _in_text(reply.text, tools, step)
    return replace(reply, calls=tuple(_almost_read(call, tools) for call in reply.calls))


def _in_text(text: str, tools: Sequence[ToolSpec], step: int) -> Leftovers:
    embedded = calls_in(text, tools)
    if embedded.broken:
        log.warning("the reply holds a tool call that cannot be read: %.200s", text)
        return Leftovers(text, faults=(BROKEN,))
    found = [call for call in embedded.calls if call.tool or cleaned(call.name).casefold() not in ANSWERS]
    if not found:
        return Leftovers(text)
    calls = tuple(_call(one, own_id(step, index), text) for index, one in enumerate(found))
    return Leftovers(embedded.before, calls)


def _call(found: Found, call_id: str, text: str) -> Call:
    name = found.tool.name if found.tool else own_name(found.name)
    try:
        given = found.given()
    except UnfitError:
        raw = found.sent if isinstance(found.sent, str) else text[found.start : found.end]
        return Call(call_id, name, {}, malformed=raw)
    return Call(call_id, name, given.arguments, notes=read_as(given))


def _almost_read(call: Call, tools: Sequence[ToolSpec]) -> Call:
    """A malformed call of a tool that only reads, with the object that its arguments were clearly meant to be."""
    tool = next((tool for tool in tools if tool.name == call.tool), None)
    raw = call.malformed
    if raw is None or tool is None or tool.effect != "read" or not raw.lstrip().startswith(("{", "｛")):
        return call
    try:
        given = Found(call.tool, tool, raw, 0, len(raw)).given()
    except UnfitError:
        return call
    return replace(call, arguments=given.arguments, malformed=None, notes=read_as(given))
