"""An evaluation from the command line: what was asked for becomes trials, and trials become a table or JSON."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from rich.markup import escape

from agents.catalog import shipped_teams
from agents.evals.case import Case
from agents.evals.judging import Judged, judge, judge_outcome
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
class Asked:
    """The command's arguments."""

    cases: tuple[str, ...]
    only: str | None
    team: str | None
    model: str | None
    compare: tuple[str, str] | None
    threshold: float
    repeat: int
    at_once: int
    patience: float
    as_json: bool


def evaluation(asked: Asked, settings: Settings, wiring: CommandWiring) -> int:
    """Try what was asked for and show what came of it; the exit code. Raises InputError, TeamError, ConfigError."""
    cases = _chosen(load_cases(asked.cases), asked.only)
    plan = planned(cases, _variants(asked), asked.repeat, settings)
    report = Report(plan.variants, tuple(_tried(plan, asked, settings, wiring)), asked.threshold)
    if asked.as_json:
        print(json.dumps(report.as_json(), ensure_ascii=False, allow_nan=False), flush=True)  # the result
    else:
        console = screen.out()
        console.print()
        console.print(drawn(report))
    return exit_codes.DONE if report.passed else exit_codes.FAILED


def _chosen(cases: Sequence[Case], only: str | None) -> Sequence[Case]:
    if only is None:
        return cases
    found = [case for case in cases if only.casefold() in case.name.casefold()]
    if not found:
        names = ", ".join(case.name for case in cases[:10])
        raise InputError(f"no case has `{only}` in its name", where="--only", mend=f"There are: {names}.")
    return found


def _variants(asked: Asked) -> tuple[Variant, ...]:
    if asked.compare is None:
        return (single(asked.team, asked.model),)
    names = [one.name for one in shipped_teams()]
    found = tuple(compared(given, asked.team, asked.model, names) for given in asked.compare)
    if found[0].name == found[1].name:
        what = f"both are called `{found[0].name}`"
        raise InputError(what, where="--compare", mend="Name two teams, two models, or `plain` and one of them.")
    return found


def _tried(plan: Plan, asked: Asked, settings: Settings, wiring: CommandWiring) -> Sequence[Tried]:
    """Try everything; each trial is said on the screen when it has ended."""
    judged: dict[int, Judged] = {}
    console = screen.err()
    going = evaluate(plan, wiring, settings, at_once=asked.at_once, patience=asked.patience)
    with console.status("[faint]starting …[/faint]") as status, closing(going) as ended:
        for attempt, trial in ended:
            plain = attempt.variant.plain
            judged[attempt.number] = one = (judge_outcome if plain else judge)(attempt.case, trial)
            status.update(f"[faint]{len(judged)} of {len(plan.attempts)}[/faint]")
            # Plain answers come fast and fail often; what they are worth stands in the table.
            if not plain and not (one.passed and console.is_terminal):
                mark = "[done]✓[/done]" if one.passed else "[failed]✗[/failed]"
                name = f"  {attempt.variant.name}" if len(plan.variants) > 1 else ""
                said = f"[faint]{escape(name)}  {trial.seconds:.1f} s[/faint]"
                console.print(f"{mark} {escape(attempt.case.name)}{said}")
    return [Tried(one.variant, one.repeat, judged[one.number]) for one in plan.attempts]
