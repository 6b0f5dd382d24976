"""Tries what a team names: tools, playbooks and drafts are imported; each problem is one line."""

from collections.abc import Iterator

from agents.catalog.team import AgentSpec, Team
from agents.isolation.addresses import address_of
from agents.references import resolved
from agents.tools.registry import load_tool
from orchestrator.errors import TeamError


def check(team: Team) -> list[str]:
    """What is wrong with the team on this machine, one line for each key; an empty list: nothing."""
    problems = [problem for agent in team.agents() for problem in _agent_problems(agent)]
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
            tool = load_tool(reference)
            if tool.isolated:
                address_of(tool)
        except TeamError as error:
            yield f"{key}.tools: {error}"
            continue
        if other := named.get(tool.name):
            yield f"{key}.tools: `{reference}` and `{other}` are both called `{tool.name}`. Rename one of them."
        named[tool.name] = reference
    if agent.playbook:
        yield from _callable_problems(agent.playbook, f"{key}.playbook")


def _callable_problems(reference: str, key: str) -> Iterator[str]:
    try:
        found = resolved(reference)
    except TeamError as error:
        yield f"{key}: {error}"
        return
    if not callable(found):
        yield f"{key}: `{reference}` is a {type(found).__name__}, not a function. Name a function."
