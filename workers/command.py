"""The `remit` command: mounts the command groups of orchestrator, agents and workers; one line for every error."""

from functools import lru_cache
from typing import Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from agents.catalog import load_team, shipped_teams
from agents.cli.fake_model import fake_model
from agents.cli.teams import teams
from orchestrator.cli import exit_codes, screen
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


class _Commands(TyperGroup):
    """Says so when a command is interrupted and has not said it itself."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            screen.err().print("[failed]remit:[/failed] interrupted")
            raise typer.Exit(exit_codes.INTERRUPTED) from None


def build() -> typer.Typer:
    """The whole command; settings are read when a command needs them."""
    settings = lru_cache(maxsize=1)(load_settings)
    wiring = CommandWiring(settings)
    app = typer.Typer(
        name="remit",
        cls=_Commands,
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


def run() -> int:
    """Run the command; every error is one line. The exit code."""
    try:
        build()()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else exit_codes.DONE
    except RemitError as error:
        _say(str(error))
        return exit_codes.USAGE if isinstance(error, UserError) else exit_codes.FAILED
    except OSError as error:
        # A full disk, a folder that went away: what has no better words where it happens.
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}")
        return exit_codes.FAILED
    return exit_codes.DONE


def _say(line: str) -> None:
    screen.err().print(f"[failed]remit:[/failed] {escape(line)}", soft_wrap=True)
