"""The team that is made up for the cases of tools: one agent that has them, and nobody else."""

from collections.abc import Sequence

from agents.catalog.team import AgentKind, AgentSpec, Team
from agents.evals.prompts import prompt
from agents.prompts import role_prompt

AGENT = "agent"


def team_of(tools: Sequence[str]) -> Team:
    """The team of one agent with these tools."""
    specialist = _agent(AGENT, "specialist", prompt("agent")).model_copy(
        update={"about": "Does everything that is to be done.", "tools": tuple(tools)}
    )
    return Team(
        name="tool-cases",
        title="One agent with " + ", ".join(tools),
        description="Made up to try tools.",
        planner=_agent("planner", "planner", prompt("planner")),
        specialists=(specialist,),
        composer=_agent("composer", "composer"),
        reviewer=_agent("reviewer", "reviewer"),
    )


def _agent(name: str, kind: AgentKind, told: str = "") -> AgentSpec:
    return AgentSpec(name=name, kind=kind, role=role_prompt(kind), instructions=told)
