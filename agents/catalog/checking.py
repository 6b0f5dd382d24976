"""Tries what a team names: tools, playbooks and drafts are imported; each problem is one line."""

from collections.abc import Iterator

from agents.catalog.team import AgentSpec, Team
from agents.isolation.addresses import address_of
from agents.references import resolved
from agents.tools.registry import load_tool
from orchestrator.errors import TeamError


def check(team: Team) -> list[str]:
    """What is wrong with the team on this machine, one line each; an empty list: nothing."""
    problems = [problem for agent in team.agents() for problem in _agent_problems(team, agent)]
    if team.draft:
        problems += _callable_problems(team.draft, f"{team.source}: result.draft")
    return problems


def _agent_problems(team: Team, agent: AgentSpec) -> Iterator[str]:
    section = f"agents.{agent.name}" if agent.kind == "specialist" else agent.kind
    where = f"{team.source}: {section}"
    named: dict[str, str] = {}
    for reference in agent.tools:
        try:
            tool = load_tool(reference)
            if tool.isolated:
                address_of(tool)
        except TeamError as error:
            yield f"{where}.tools: {error}"
            continue
        if other := named.get(tool.name):
            yield f"{where}.tools: `{reference}` and `{other}` are both called `{tool.name}`. Rename one of them."
        named[tool.name] = reference
    if agent.playbook:
        yield from _callable_problems(agent.playbook, f"{where}.playbook")


def _callable_problems(reference: str, where: str) -> Iterator[str]:
    try:
        found = resolved(reference)
    except TeamError as error:
        yield f"{where}: {error}"
        return
    if not callable(found):
        yield f"{where}: `{reference}` is a {type(found).__name__}, not a function."
