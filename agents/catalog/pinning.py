"""Writes a team down with a run, so that what was submitted stays what is worked on, and reads it back."""

import json
from typing import Any

from pydantic import ValidationError

from agents.catalog.servers import asked, is_known
from agents.catalog.team import Team
from agents.tools.mcp.references import is_mcp
from agents.tools.mcp.servers import McpServers
from agents.tools.registry import load_tool
from orchestrator.errors import DefectError, TeamError

FORM = 1
"""How a pinned team is written down."""


def pin(team: Team, servers: McpServers | None = None) -> str:
    """The team with the schemas of its tools as JSON text. Raises TeamError when a tool does not load.

    MCP servers are asked unless it is known already what they offer; `servers` spares them another start.
    """
    if not is_known(team):
        team, problems = asked(team, servers)
        if problems:
            raise TeamError(problems[0], where=team.source or team.name)
    pinned = {"form": FORM, "team": team.model_dump(mode="json"), "tools": _schemas(team)}
    return json.dumps(pinned, ensure_ascii=False, sort_keys=True)


def unpin(text: str) -> Team:
    """The team that `pin` wrote."""
    try:
        return Team.model_validate(json.loads(text)["team"])
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        what = f"the team stored with the run cannot be read: {type(error).__name__}"
        raise DefectError(what, mend="It was written by another version of Remit; run it with that version.") from error


def _schemas(team: Team) -> dict[str, Any]:
    names = sorted({name for agent in team.agents() for name in agent.tools if not is_mcp(name)})
    tools = {name: load_tool(name) for name in names}
    return {name: {"effect": tool.effect, "arguments": tool.schema()} for name, tool in tools.items()}
