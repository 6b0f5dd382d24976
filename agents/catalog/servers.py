"""Asks the MCP servers of a team what the tools are that its agents picked, and finds picked tools again."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from agents.catalog.team import Team
from agents.tools.function import Tool
from agents.tools.mcp.declared import McpServer, Offer
from agents.tools.mcp.failures import CallFailedError
from agents.tools.mcp.references import is_mcp, read_reference
from agents.tools.mcp.servers import McpServers
from agents.tools.mcp.tool import mcp_tool
from agents.tools.registry import load_tool
from orchestrator.config import environment
from orchestrator.errors import TeamError


def picks(team: Team) -> Mapping[str, frozenset[str]]:
    """Server → its tools that agents use."""
    found: dict[str, set[str]] = {}
    for agent in team.agents():
        for reference in filter(is_mcp, agent.tools):
            picked = read_reference(reference)
            found.setdefault(picked.server, set()).add(picked.tool)
    return {name: frozenset(tools) for name, tools in found.items()}


def asked(team: Team, servers: McpServers | None = None) -> tuple[Team, tuple[str, ...]]:
    """The team with what its servers offer now, and what is wrong with them, one line each.

    Starts each server that an agent uses, once, and ends it again unless `servers` are given.
    """
    wanted = picks(team)
    used = [server for server in team.mcp if server.name in wanted]
    absent = tuple(_absent(name) for name in sorted(wanted) if team.server(name) is None)
    if not used:
        return team, absent
    if servers is None:
        with McpServers(environment()) as own:
            return asked(team, own)
    with ThreadPoolExecutor(len(used)) as pool:
        answers = pool.map(partial(_asked, wanted, servers), used)
        found = {server.name: answer for server, answer in zip(used, answers, strict=True)}
    known = tuple(
        one.model_copy(update={"offers": found[one.name][0]}) if one.name in found else one for one in team.mcp
    )
    problems = tuple(problem for _, wrong in found.values() for problem in wrong)
    return team.model_copy(update={"mcp": known}), absent + problems


def is_known(team: Team) -> bool:
    """True when it is written down what each picked tool is."""
    offered = {(server.name, offer.name) for server in team.mcp for offer in server.offers}
    return all((server, tool) in offered for server, tools in picks(team).items() for tool in tools)


def tool_of(team: Team, reference: str, servers: McpServers) -> Tool:
    """The tool that an agent of the team names, of whatever kind. Raises TeamError."""
    if not is_mcp(reference):
        return load_tool(reference)
    picked = read_reference(reference)
    server = team.server(picked.server)
    offer = server.offer(picked.tool) if server else None
    if server is None or offer is None:
        mend = "Submit the goal again."
        raise TeamError("it is not known what this tool is", where=f"tool `{reference}`", mend=mend)
    return mcp_tool(server, offer, servers)


def _absent(name: str) -> str:
    return str(TeamError("there is no such server", where=f"mcp.{name}", mend=f"Describe it as `[mcp.{name}]`."))


def _asked(
    wanted: Mapping[str, frozenset[str]], servers: McpServers, server: McpServer
) -> tuple[tuple[Offer, ...], list[str]]:
    where = f"mcp.{server.name}"
    problems = [f"{where}.{error}" for error in servers.unset(server)]
    if problems:
        return (), problems
    from agents.tools.mcp.offers import picked  # noqa: PLC0415  # the client takes half a second to import

    try:
        found = picked(server, wanted[server.name], servers.tools(server))
    except CallFailedError as error:
        return (), [str(TeamError(str(error), where=where, mend=_mend(server)))]
    return found.offers, list(found.problems)


def _mend(server: McpServer) -> str:
    if server.command:
        return f"Try the command by hand in {server.folder or 'the folder of the team file'}: it has to wait for input."
    return "Look whether it runs, and whether the address and the headers are right."
