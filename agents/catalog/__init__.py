"""Teams: who works on a kind of goal, read from TOML files, checked, and pinned to a run."""

from agents.catalog.checking import check
from agents.catalog.loading import TeamSummary, load_team, shipped_teams
from agents.catalog.outdated import outdated, outdated_tools
from agents.catalog.pinning import pin, unpin
from agents.catalog.servers import tool_of
from agents.catalog.team import AgentSpec, Team, TeamCommand

__all__ = [
    "AgentSpec",
    "Team",
    "TeamCommand",
    "TeamSummary",
    "check",
    "load_team",
    "outdated",
    "outdated_tools",
    "pin",
    "shipped_teams",
    "tool_of",
    "unpin",
]
