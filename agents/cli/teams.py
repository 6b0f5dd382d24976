"""`remit teams`: which teams there are, and what one of them consists of."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from agents.catalog import check, load_team, shipped_teams
from agents.tools.registry import BUILTIN, load_tool
from orchestrator.errors import TeamError


def teams(
    name: Annotated[str | None, typer.Argument(metavar="[TEAM]", help="A team's name, or the path of a file.")] = None,
) -> None:
    """List the teams that ship with Remit, or show one team's agents and their tools."""
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    if name is None:
        for column in ("team", "inputs", "what it does"):
            table.add_column(column, overflow="fold")
        for one in shipped_teams():
            table.add_row(one.name, " ".join(one.inputs), one.description)
        console.print(table)
        return
    team = load_team(name)
    console.print(f"[bold]{team.title}[/bold]  {team.description}\n")
    for column in ("agent", "kind", "tools", "decides by", "about"):
        table.add_column(column, overflow="fold")
    for agent in team.agents():
        decides = agent.model or ("REMIT_MODEL or playbook" if agent.playbook else "REMIT_MODEL")
        table.add_row(agent.name, agent.kind, "\n".join(map(_name, agent.tools)), decides, agent.about)
    console.print(table)
    for fault in check(team):
        console.print(f"[red]✗[/red] {fault}")


def _name(reference: str) -> str:
    """What agents and traces call the tool; of one that cannot be loaded, how the team's file names it."""
    if reference in BUILTIN:
        return reference
    try:
        return load_tool(reference).name
    except TeamError:
        return reference
