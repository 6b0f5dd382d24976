"""`remit eval`: try behaviour cases on a team and a model, and say how many behaved as they should."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.markup import escape

from agents.catalog import shipped_teams
from agents.evals.case import Case
from agents.evals.judging import Judged, judge
from agents.evals.loading import load_cases
from agents.evals.report import Report, Tried
from agents.evals.table import drawn
from agents.evals.variants import Variant, compared, single
from orchestrator.cli import exit_codes, screen
from orchestrator.config import Settings
from orchestrator.errors import InputError
from workers.evaluating import Plan, evaluate, planned
from workers.wiring import CommandWiring


@dataclass(frozen=True, slots=True)
class _Wanted:
    team: str | None
    model: str | None
    compare: tuple[str, str] | None

    def variants(self) -> tuple[Variant, ...]:
        if self.compare is None:
            return (single(self.team, self.model),)
        names = [one.name for one in shipped_teams()]
        found = tuple(compared(given, self.team, self.model, names) for given in self.compare)
        if found[0].name == found[1].name:
            what = f"both are called `{found[0].name}`"
            raise InputError(what, where="--compare", mend="Name two teams, two models, or `plain` and one of them.")
        return found


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
            typer.Option(help="Two teams or two models side by side; `plain` is the model without a team."),
        ] = None,
        threshold: Annotated[float, typer.Option(min=0, max=1, help="The share that has to pass.")] = 0.9,
        repeat: Annotated[int, typer.Option(min=1, max=100, help="Try each case so often.")] = 1,
        at_once: Annotated[int, typer.Option("--at-once", min=1, max=64, help="Runs at the same time.")] = 4,
        patience: Annotated[float, typer.Option(min=1, help="Seconds after which a run is given up.")] = 600.0,
        only: Annotated[str | None, typer.Option(help="Only cases with this in their name.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    ) -> None:
        """Try behaviour cases, and say how many behaved as they should; exit code 1 below the threshold."""
        chosen = _chosen(load_cases(cases), only)
        plan = planned(chosen, _Wanted(team, model, compare).variants(), repeat, settings())
        report = _evaluated(plan, wiring, settings(), at_once, patience, threshold)
        if as_json:
            print(json.dumps(report.as_json(), ensure_ascii=False, allow_nan=False), flush=True)  # the result
        else:
            console = screen.out()
            console.print()
            console.print(drawn(report))
        raise typer.Exit(exit_codes.DONE if report.passed else exit_codes.FAILED)

    return eval_


def _chosen(cases: Sequence[Case], only: str | None) -> Sequence[Case]:
    if only is None:
        return cases
    found = [case for case in cases if only.casefold() in case.name.casefold()]
    if not found:
        names = ", ".join(case.name for case in cases[:10])
        raise InputError(f"no case has `{only}` in its name", where="--only", mend=f"There are: {names}.")
    return found


def _evaluated(
    plan: Plan, wiring: CommandWiring, settings: Settings, at_once: int, patience: float, threshold: float
) -> Report:
    judged: dict[int, Judged] = {}
    console = screen.err()
    with (
        console.status("[faint]starting …[/faint]") as status,
        closing(evaluate(plan, wiring, settings, at_once=at_once, patience=patience)) as ended,
    ):
        for attempt, trial in ended:
            judged[attempt.number] = judge(attempt.case, trial)
            good = judged[attempt.number].passed
            status.update(f"[faint]{len(judged)} of {len(plan.attempts)}[/faint]")
            if not (good and console.is_terminal):
                mark = "[done]✓[/done]" if good else "[failed]✗[/failed]"
                name = f"  [faint]{escape(attempt.variant.name)}[/faint]" if len(plan.variants) > 1 else ""
                console.print(f"{mark} {escape(attempt.case.name)}{name}  [faint]{trial.seconds:.1f} s[/faint]")
    tried = [Tried(one.variant, one.repeat, judged[one.number]) for one in plan.attempts]
    return Report(plan.variants, tuple(tried), threshold)
