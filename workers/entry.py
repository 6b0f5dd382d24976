"""The `remit` command: mounts the command groups of orchestrator, agents and workers; one line for every error."""

import sys
from functools import lru_cache

import typer
from rich.console import Console
from rich.markup import escape

from agents.catalog import load_team, shipped_teams
from agents.cli.fake_model import fake_model
from agents.cli.teams import teams
from orchestrator.cli import exit_codes
from orchestrator.cli.database import database_app
from orchestrator.cli.pruning import prune_command
from orchestrator.cli.run_command import TeamCommand, run_command, team_command
from orchestrator.cli.runs import runs_app
from orchestrator.cli.tickets import tickets_app
from orchestrator.config import load_settings
from orchestrator.errors import RemitError, UserError
from workers.caring import care_of
from workers.cli.chaos import chaos
from workers.cli.doctor import doctor_command
from workers.cli.eval import eval_command
from workers.cli.up import up_command
from workers.cli.worker import reap_command, worker_command
from workers.wiring import CommandWiring

INTERRUPTED = 130


def build() -> typer.Typer:
    """The whole command; settings are read when a command needs them."""
    settings = lru_cache(maxsize=1)(load_settings)
    wiring = CommandWiring(settings)
    app = typer.Typer(
        name="remit",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Hand a goal to a team of agents; get an answer that can be audited.",
    )
    app.command("run")(run_command(wiring))
    for summary in shipped_teams():
        team = load_team(summary.name)
        if team.command:
            command = TeamCommand(team.name, team.description, team.command.inputs, team.command.goal)
            app.command(team.name)(team_command(wiring, command))
    runs = runs_app(wiring)
    runs.command("prune")(prune_command(care_of(settings)))
    app.add_typer(runs, name="runs")
    app.add_typer(tickets_app(wiring), name="tickets")
    app.add_typer(database_app(care_of(settings)), name="db")
    app.command("teams")(teams)
    app.command("eval")(eval_command(settings, wiring))
    app.command("doctor")(doctor_command(settings))
    app.command("up")(up_command(settings))
    app.command("worker")(worker_command(settings))
    app.command("reap", hidden=True)(reap_command(settings))
    app.command("fake-model")(fake_model)
    app.command("chaos")(chaos)
    return app


def main() -> None:
    """Run the command; errors become one line and an exit code."""
    try:
        build()()
    except RemitError as error:
        Console(stderr=True, highlight=False).print(f"[red]remit:[/red] {escape(str(error))}", soft_wrap=True)
        sys.exit(exit_codes.USAGE if isinstance(error, UserError) else exit_codes.FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
