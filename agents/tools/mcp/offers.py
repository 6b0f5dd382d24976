"""What a server offers of the tools that a team picked; each thing that does not fit is one line."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mcp.types import Tool

from agents.protocols.names import wire_name
from agents.references import nearest
from agents.tools.mcp.declared import McpServer, Offer, SaidEffect
from agents.tools.mcp.effects import Hints, effect_of
from agents.tools.mcp.references import tool_name
from agents.tools.mcp.schemas import check_schema
from orchestrator.errors import TeamError

LONGEST_NAME = 64
"""Characters of a name that models' servers take."""
LONGEST_DESCRIPTION = 2_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Picked:
    """The offers of one server, and what is wrong with the others."""

    offers: tuple[Offer, ...] = ()
    problems: tuple[str, ...] = ()


def picked(server: McpServer, wanted: Iterable[str], tools: Mapping[str, Tool]) -> Picked:
    """Of what the server offers, the tools that agents use."""
    names = sorted(set(wanted))
    problems = [*_unknown_effects(server, tools)]
    offers: list[Offer] = []
    for name in names:
        try:
            offers.append(_offer(server, name, tools))
        except TeamError as error:
            problems.append(str(error))
    return Picked(tuple(offers), tuple(problems))


def hints_of(tool: Tool) -> Hints:
    """What the server says of the tool's effect."""
    said = tool.annotations
    return Hints(said.read_only_hint is True, said.idempotent_hint is True) if said else Hints()


def _offer(server: McpServer, name: str, tools: Mapping[str, Tool]) -> Offer:
    where = f"mcp.{server.name}"
    tool = tools.get(name)
    if tool is None:
        raise TeamError(f"the server offers no tool `{name}`", where=where, mend=nearest(name, list(tools)))
    full = tool_name(server.name, name)
    if len(wire_name(full)) > LONGEST_NAME:
        what = f"`{full}` is longer than the {LONGEST_NAME} characters that models take"
        raise TeamError(what, where=where, mend="Give the server a shorter name.")
    check_schema(tool.input_schema, f"{where}: {name}")
    return Offer(
        name=name,
        description=_description(server, tool),
        arguments=tool.input_schema,
        effect=_effect(server, tool),
    )


def _description(server: McpServer, tool: Tool) -> str:
    said = (tool.description or tool.title or "").strip()
    return said[:LONGEST_DESCRIPTION] or f"The tool `{tool.name}` of the MCP server `{server.name}`."


def _effect(server: McpServer, tool: Tool) -> SaidEffect:
    said = server.effects.get(tool.name)
    effect = effect_of(hints_of(tool), said)
    if said is not None and effect != said:
        message = "mcp.%s.effects: %s is treated as unsafe: the server's own annotations do not say that it is `%s`"
        _log.warning(message, server.name, tool.name, said)
    return effect


def _unknown_effects(server: McpServer, tools: Mapping[str, Tool]) -> Iterator[str]:
    for name in server.effects:
        if name not in tools:
            where = f"mcp.{server.name}.effects.{name}"
            yield str(TeamError("the server offers no such tool", where=where, mend=nearest(name, list(tools))))
