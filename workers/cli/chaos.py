"""`remit chaos`: break everything at every boundary, and see whether what is promised holds."""

from pathlib import Path
from typing import Annotated

import typer

SHIPPED = Path(__file__).parents[1] / "chaos" / "team" / "team.toml"


def chaos(
    team: Annotated[
        str, typer.Option("--team", "-t", help="A team whose playbooks use the tools of workers.chaos.team.")
    ] = str(SHIPPED),
    rounds: Annotated[int, typer.Option("--rounds", "-n", min=1, help="How many rounds.")] = 3,
    first: Annotated[int, typer.Option("--first", min=1, help="The number of the first round, to repeat one.")] = 1,
    seed: Annotated[int, typer.Option(help="Gives the faults of all rounds.")] = 1,
    runs: Annotated[int, typer.Option(min=1, max=50, help="Runs side by side in each round.")] = 3,
    cancelled: Annotated[int, typer.Option(min=0, max=50, help="Runs beside them that are called off midway.")] = 1,
    orders: Annotated[int, typer.Option(min=1, max=200, help="Orders of each run, with five calls each.")] = 4,
    faults: Annotated[int, typer.Option(min=1, help="Faults of each round, at most.")] = 60,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, max=64, help="Worker processes.")] = 3,
    patience: Annotated[float, typer.Option(min=10, help="Seconds after which a round has failed.")] = 300.0,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="A PostgreSQL database to work on; otherwise SQLite.")
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Where the rounds have their homes; a new one otherwise.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Kill, stop, flush, disconnect at every boundary; exit code 0 when every promise was kept."""
    # A proof needs workers, broker and database libraries; no other command does.
    from workers.cli.chaos_rounds import played  # noqa: PLC0415
    from workers.proof.asked import Asked  # noqa: PLC0415
    from workers.proof.homes import rounds_folder  # noqa: PLC0415

    asked = Asked(
        team=team,
        rounds=rounds,
        first_round=first,
        seed=seed,
        runs=runs,
        cancelled=cancelled,
        orders=orders,
        faults=faults,
        workers=workers,
        patience=patience,
        database=database,
        folder=rounds_folder(folder),
    )
    raise typer.Exit(played(asked, as_json=as_json))
