"""`remit run`: hand in a goal, follow it, show what came of it."""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from orchestrator.cli import exit_codes, screen
from orchestrator.cli.asking import ask
from orchestrator.cli.desk import ChosenTeam, Desk, Wiring
from orchestrator.cli.finish import Wanted, check_out, finish, remember_out
from orchestrator.cli.follow import Manner, follow, leaving_word
from orchestrator.domain.budget import OnLimit
from orchestrator.domain.counting import counted
from orchestrator.domain.goal import Limits
from orchestrator.domain.subtask import Lane
from orchestrator.engine.services.submitting import Request
from orchestrator.errors import InputError

Out = Annotated[
    Path | None, typer.Option("--out", help="Folder for report.md, result.json and all files that were made.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print result.json as the last line of standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no report.")]
NoAsk = Annotated[bool, typer.Option("--no-ask", help="Never ask at the terminal; end with exit code 3 instead.")]
Detach = Annotated[bool, typer.Option("--detach", help="Hand the goal in and end at once; print the run's id.")]
Tokens = Annotated[int | None, typer.Option("--max-tokens", min=1, help="Limit on the tokens of all model calls.")]
Seconds = Annotated[
    float | None, typer.Option("--max-seconds", min=0.001, help="Limit on working time, waits not counted.")
]
Steps = Annotated[int | None, typer.Option("--max-steps", min=1, help="Limit on the steps of all agents.")]
Cost = Annotated[
    str | None, typer.Option("--max-cost", metavar="USD", help="Limit on what all model calls cost, in US dollars.")
]
AtLimit = Annotated[
    OnLimit | None, typer.Option("--on-limit", help="At a limit: stop with what there is, or ask for more.")
]
Parallel = Annotated[
    int | None, typer.Option("--parallel", min=1, max=100_000, help="Subtasks that are at work at the same time.")
]
Priority = Annotated[
    Lane | None,
    typer.Option("--priority", help="Whether somebody waits for it. Not said: interactive, with --detach batch."),
]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options that `remit run` and the teams' own commands share."""

    wanted: Wanted
    limits: Limits
    parameters: Mapping[str, Any]
    no_ask: bool
    detach: bool
    parallel: int | None = None
    priority: Lane | None = None

    def lane(self) -> Lane | None:
        """Who waits: as it is said, else whoever follows the run; else as the team says."""
        return self.priority or ("batch" if self.detach else None)


def pairs(given: list[str], what: str) -> dict[str, str]:
    """`NAME=VALUE` options as a mapping. Raises InputError."""
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name or not value:
            raise InputError(f"`{one}` is not NAME=VALUE", where=what, mend=f"Write {what} ledger=ledger.csv.")
        if name in found:
            raise InputError(f"`{name}` is given twice", where=what)
        found[name] = value
    return found


def limited(
    tokens: int | None, seconds: float | None, steps: int | None, cost: str | None, on_limit: OnLimit | None
) -> Limits:
    """The limits that the options name. Raises InputError."""
    dollars = None if cost is None else re.sub(r"^\s*\$|usd\s*$", "", cost, flags=re.IGNORECASE).strip()
    try:
        return Limits.model_validate(
            {"tokens": tokens, "seconds": seconds, "steps": steps, "cost": dollars, "on_limit": on_limit}
        )
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        given = cost if name == "cost" else error.errors()[0]["input"]
        dear = "Write US dollars, more than nought and up to 1000000, like `2.50`."
        mend = dear if name == "cost" else "Write a smaller number."
        raise InputError(f"`{given}` is no limit that can be kept", where=f"--max-{name}", mend=mend) from None


def file_at(text: str) -> Path:
    """The path as it is written, with `~` for a home; one that nobody has stays as it is, and no file is there."""
    path = Path(text)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def checked(inputs: Mapping[str, Path]) -> Mapping[str, Path]:
    """The inputs, if each is a file that can be read and holds something. Raises InputError."""
    for path in inputs.values():
        try:
            _check_file(path)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no file has such a name"
            what = f"the file cannot be read: {reason}"
            raise InputError(what, where=str(path), mend="Check its name and its rights.") from None
    return inputs


def _check_file(path: Path) -> None:
    if not path.exists():
        raise InputError("there is no such file", where=str(path), mend="Check the name, and the folder it is in.")
    if path.is_dir():
        raise InputError("this is a folder, a file is wanted", where=str(path), mend="Name a file in it.")
    with path.open("rb") as file:
        if not file.read(1):
            mend = "Export it again, or name another one."
            raise InputError("the file is empty", where=str(path), mend=mend)


def hand_in(
    wiring: Wiring,
    team: ChosenTeam,
    text: str,
    inputs: Mapping[str, Path],
    options: RunOptions,
) -> int:
    """Hand a goal in and follow it; the exit code."""
    check_out(options.wanted.out)
    wiring.check_inputs(team, checked(inputs), options.parameters)
    request = Request(
        text, inputs, team.rules, team.pinned, options.parameters, options.limits, options.parallel, options.lane()
    )
    if set(team.models) == {"playbook"} and not options.wanted.as_json:
        screen.err().print("[faint]No model is configured (REMIT_MODEL): the team's playbook decides.[/faint]")
    with starting(options.wanted) as started, wiring.working() as desk:
        run_id = _submitted(desk, request)
        with leaving_word(desk, run_id):
            started()
            remember_out(desk, run_id, options.wanted.out)
            if options.detach:
                print(run_id)  # the result
                return 0
            follow(desk, run_id, manner(options.wanted, no_ask=options.no_ask))
        return finish(desk, run_id, options.wanted)


def _submitted(desk: Desk, request: Request) -> str:
    """The id of the run that was opened."""
    try:
        return desk.submitter.submit(request, desk.scope, desk.actor).id
    except KeyboardInterrupt:
        screen.err().print("Interrupted while it was handed in: `remit runs list` says whether the run is there.")
        raise typer.Exit(exit_codes.INTERRUPTED) from None


@contextmanager
def starting(wanted: Wanted) -> Generator[Callable[[], None]]:
    """Say that something is being started, until the function that it hands out is called."""
    console = screen.err()
    status = console.status("[faint]starting …[/faint]", spinner="dots")
    if console.is_terminal and not wanted.quiet and not wanted.as_json:
        status.start()
    try:
        yield status.stop
    finally:
        status.stop()


def manner(wanted: Wanted, *, no_ask: bool) -> Manner:
    """How to follow, by what is wanted and whether somebody is there."""
    there = screen.person_is_there() and not wanted.as_json
    shows = screen.err().is_terminal and not wanted.quiet and not wanted.as_json
    return Manner(live=shows, quiet=wanted.quiet or wanted.as_json, ask=ask if there and not no_ask else None)


def run_command(wiring: Wiring) -> Callable[..., None]:
    """The function behind `remit run`."""

    def run(
        goal: Annotated[str, typer.Argument(metavar="GOAL", help="What you want, in your words.")],
        team: Annotated[
            str, typer.Option("--team", "-t", help="A name that `remit teams` lists, or the path of a team file.")
        ],
        inputs: Annotated[
            list[str] | None, typer.Option("--input", "-i", metavar="NAME=PATH", help="A file of the goal.")
        ] = None,
        parameters: Annotated[
            list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter of the goal.")
        ] = None,
        out: Out = None,
        as_json: AsJson = False,
        quiet: Quiet = False,
        no_ask: NoAsk = False,
        detach: Detach = False,
        max_tokens: Tokens = None,
        max_seconds: Seconds = None,
        max_steps: Steps = None,
        max_cost: Cost = None,
        on_limit: AtLimit = None,
        parallel: Parallel = None,
        priority: Priority = None,
    ) -> None:
        """Work on a goal with a team of agents, and stay until there is an answer or a question for a person."""
        files = {name: file_at(path) for name, path in pairs(inputs or [], "--input").items()}
        limits = limited(max_tokens, max_seconds, max_steps, max_cost, on_limit)
        wanted, given = Wanted(out, as_json, quiet), pairs(parameters or [], "--param")
        options = RunOptions(wanted, limits, given, no_ask, detach, parallel, priority)
        raise typer.Exit(hand_in(wiring, wiring.team(team), goal, files, options))

    return run


@dataclass(frozen=True, slots=True)
class TeamCommand:
    """A team that is a command of its own: `remit reconcile LEFT RIGHT`."""

    team: str
    about: str
    inputs: tuple[str, ...]
    goal: str
    """With `{input}` for each input's file name."""


def team_command(wiring: Wiring, command: TeamCommand) -> Callable[..., None]:
    """The function behind a team's own command."""
    metavar = " ".join(name.upper() for name in command.inputs)

    def run(
        files: Annotated[list[Path], typer.Argument(metavar=metavar, help="One file for each.", show_default=False)],
        parameters: Annotated[
            list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter of the goal.")
        ] = None,
        out: Out = None,
        as_json: AsJson = False,
        quiet: Quiet = False,
        no_ask: NoAsk = False,
        detach: Detach = False,
        max_tokens: Tokens = None,
        max_seconds: Seconds = None,
        max_steps: Steps = None,
        max_cost: Cost = None,
        on_limit: AtLimit = None,
        parallel: Parallel = None,
        priority: Priority = None,
    ) -> None:
        if len(files) != len(command.inputs):
            raise InputError(
                f"{counted(len(files), 'file')} given", where=f"remit {command.team}", mend=f"Give {metavar}."
            )
        inputs = {name: file_at(str(path)) for name, path in zip(command.inputs, files, strict=True)}
        goal = command.goal.format(**{name: path.name for name, path in inputs.items()})
        limits = limited(max_tokens, max_seconds, max_steps, max_cost, on_limit)
        wanted, given = Wanted(out, as_json, quiet), pairs(parameters or [], "--param")
        options = RunOptions(wanted, limits, given, no_ask, detach, parallel, priority)
        raise typer.Exit(hand_in(wiring, wiring.team(command.team), goal, inputs, options))

    run.__doc__ = command.about
    return run
