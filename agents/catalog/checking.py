"""Tries what a team names: tools, playbooks and drafts are imported, servers are asked; each problem is one line."""

from collections.abc import Iterator
from contextlib import suppress

from agents.catalog.servers import asked
from agents.catalog.team import AgentSpec, Team
from agents.isolation.addresses import address_of
from agents.references import resolved
from agents.tools.mcp.references import is_mcp, read_reference, tool_name
from agents.tools.mcp.servers import McpServers
from agents.tools.registry import load_tool
from orchestrator.errors import TeamError


def check(team: Team, servers: McpServers | None = None) -> list[str]:
    """What is wrong with the team on this machine, one line for each key; an empty list: nothing.

    Each MCP server whose tools are used is started once, and ended again unless `servers` are given.
    """
    problems = [problem for agent in team.agents() for problem in _agent_problems(agent)]
    with suppress(TeamError):  # a reference that cannot be read, which has been told
        problems += asked(team, servers)[1]
    if team.draft:
        problems += _callable_problems(team.draft, "result.draft")
    if team.command and team.command.check:
        problems += _callable_problems(team.command.check, "command.check")
    return problems


def _agent_problems(agent: AgentSpec) -> Iterator[str]:
    key = f"agents.{agent.name}" if agent.kind == "specialist" else agent.kind
    named: dict[str, str] = {}
    for reference in agent.tools:
        try:
            name = _tool_name(reference)
        except TeamError as error:
            yield f"{key}.tools: {error}"
            continue
        if other := named.get(name):
            yield f"{key}.tools: `{reference}` and `{other}` are both called `{name}`. Rename one of them."
        named[name] = reference
    if agent.playbook:
        yield from _callable_problems(agent.playbook, f"{key}.playbook")


def _tool_name(reference: str) -> str:
    """What the tool is called, once it has been found; a server's is looked for by asking the server."""
    if is_mcp(reference):
        picked = read_reference(reference)
        return tool_name(picked.server, picked.tool)
    tool = load_tool(reference)
    if tool.isolated:
        address_of(tool)
    return tool.name


def _callable_problems(reference: str, key: str) -> Iterator[str]:
    try:
        found = resolved(reference)
    except TeamError as error:
        yield f"{key}: {error}"
        return
    if not callable(found):
        yield f"{key}: `{reference}` is a {type(found).__name__}, not a function. Name a function."
