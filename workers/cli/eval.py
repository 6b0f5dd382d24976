"""`remit eval`: try behaviour cases on a team and a model, and say how many behaved as they should."""

from collections.abc import Callable
from typing import Annotated

import typer

from orchestrator.config import Settings
from workers.wiring import CommandWiring


def eval_command(settings: Callable[[], Settings], wiring: CommandWiring) -> Callable[..., None]:
    """The function behind `remit eval`."""

    def eval_(
        cases: Annotated[
            list[str], typer.Argument(metavar="CASES", help="Files of cases, folders, or names of teams and tools.")
        ],
        team: Annotated[
            str | None, typer.Option("--team", "-t", help="Try this team in place of the one the cases name.")
        ] = None,
        model: Annotated[str | None, typer.Option("--model", "-m", help="The model of every agent.")] = None,
        compare: Annotated[
            tuple[str, str] | None,
            typer.Option(
                metavar="A B", help="Two teams or two models side by side; `plain` is the model without a team."
            ),
        ] = None,
        threshold: Annotated[float, typer.Option(min=0, max=1, help="The share that has to pass.")] = 0.9,
        repeat: Annotated[int, typer.Option(min=1, max=100, help="Try each case so often.")] = 1,
        at_once: Annotated[int, typer.Option("--at-once", min=1, max=64, help="Runs at the same time.")] = 4,
        patience: Annotated[float, typer.Option(min=1, help="Seconds after which a run is given up.")] = 600.0,
        only: Annotated[str | None, typer.Option(help="Only cases with this in their name.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    ) -> None:
        """Try behaviour cases, and say how many behaved as they should; exit code 1 below the threshold."""
        # What an evaluation needs takes long to import, and no other command needs it.
        from workers.cli.evaluation import Asked, evaluation  # noqa: PLC0415

        asked = Asked(
            cases=tuple(cases),
            only=only,
            team=team,
            model=model,
            compare=compare,
            threshold=threshold,
            repeat=repeat,
            at_once=at_once,
            patience=patience,
            as_json=as_json,
        )
        raise typer.Exit(evaluation(asked, settings(), wiring))

    return eval_
