"""Draws an evaluation's outcome for a terminal: the cases, why some failed, and the score of each variant."""

from collections.abc import Sequence
from decimal import Decimal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from agents.evals.judging import Judged
from agents.evals.report import Report
from agents.evals.scoring import Score
from agents.evals.variants import Variant

MOST_CASES = 40
"""Of more cases only those that failed are drawn; plain answers fail too often for that."""
_MEASURED = ("unsupported figures", "steps per run", "tokens per run", "time per run", "cost of all")
_GOOD, _BAD, _FAINT = "green", "red", "dim"


def drawn(report: Report) -> Group:
    """The whole report."""
    parts: list[RenderableType] = []
    shown = _shown(report)
    if shown:
        parts += [_one(report, shown) if len(report.variants) == 1 else _side_by_side(report, shown), Text()]
    hidden = len(report.cases()) - len(shown)
    if hidden:
        parts += [Text(_hidden(report, hidden, len(shown)), _FAINT), Text()]
    reasons = _reasons(report)
    if reasons:
        parts += [*reasons, Text()]
    return Group(*parts, _scores(report), Text(), _verdict(report))


def _shown(report: Report) -> Sequence[str]:
    cases = report.cases()
    if len(cases) <= MOST_CASES:
        return cases
    return [
        case
        for case in cases
        if any(not one.passed for variant in _looked_at(report) for one in report.of(variant, case))
    ]


def _looked_at(report: Report) -> Sequence[Variant]:
    """The variants whose failures are worth a look: of plain answers, beside others, the score says enough."""
    return [variant for variant in report.variants if not variant.plain] or report.variants


def _hidden(report: Report, hidden: int, shown: int) -> str:
    more = " more" if shown else ""
    names = " and ".join(variant.name for variant in _looked_at(report)) if len(report.variants) > 1 else ""
    return f"{hidden}{more} case{'s' if hidden > 1 else ''} passed{f' with {names}' if names else ''}."


def _one(report: Report, cases: Sequence[str]) -> Table:
    table = _table("case", "passed", ">unsupported", ">steps", ">tokens", ">time", ">cost")
    (variant,) = report.variants
    for case in cases:
        one = report.score(variant, case)
        table.add_row(case, _mark(one), *_measures(one))
    return table


def _side_by_side(report: Report, cases: Sequence[str]) -> Table:
    table = _table("case", *(variant.name for variant in report.variants))
    for case in cases:
        table.add_row(case, *(_mark(report.score(variant, case)) for variant in report.variants))
    return table


def _scores(report: Report) -> Table:
    table = _table("", *(f">{variant.name}" for variant in report.variants))
    scores = [report.score(variant) for variant in report.variants]
    table.add_row("passed", *(Text(f"{one.pass_rate:.0%}", _color(one)) for one in scores))
    table.add_row("accuracy", *(f"{one.accuracy:.0%}" for one in scores))
    table.add_row("model", *(", ".join(one.models) or "−" for one in scores))
    rows = zip(*(_measures(one) for one in scores), strict=True)
    for name, row in zip(_MEASURED, rows, strict=True):
        table.add_row(name, *row)
    return table


def _measures(one: Score) -> tuple[RenderableType, ...]:
    unsupported = Text(str(one.unsupported), _BAD if one.unsupported else "")
    return unsupported, f"{one.steps:,.1f}", f"{one.tokens:,.0f}", f"{one.seconds:,.1f} s", _money(one.cost)


def _money(cost: Decimal | None) -> str:
    return "?" if cost is None else f"${cost:.4f}"


def _mark(one: Score) -> Text:
    if not one.trials:
        return Text("−", _FAINT)
    sign = "✓" if one.passed == one.trials else "✗"
    count = f" {one.passed}/{one.trials}" if one.trials > 1 else ""
    return Text(f"{sign}{count}", _color(one))


def _color(one: Score) -> str:
    return _GOOD if one.passed == one.trials else _BAD


def _reasons(report: Report) -> list[RenderableType]:
    """Why trials failed: each reason of a case once, with the run that can be looked at."""
    lines: list[RenderableType] = []
    for case in report.cases():
        for variant in _looked_at(report):
            failed = [one for one in report.of(variant, case) if not one.passed]
            if failed:
                lines += _told(case, variant if len(report.variants) > 1 else None, failed)
    return lines


def _told(case: str, variant: Variant | None, failed: Sequence[Judged]) -> list[RenderableType]:
    runs = ", ".join(one.trial.run for one in failed if one.trial.run)
    head = Text.assemble(("✗ ", _BAD), (case, "bold"), (f"  {variant.name}" if variant else "", _FAINT))
    head.append(f"  {runs}" if runs else "", _FAINT)
    reasons = dict.fromkeys(reason for one in failed for reason in (*one.wrong, *one.misbehaved))
    return [head, *(Padding(Text(reason), (0, 0, 0, 4)) for reason in reasons)]


def _verdict(report: Report) -> Text:
    last = report.variants[-1]
    one = report.score(last)
    name = f"{last.name}: " if len(report.variants) > 1 else ""
    said = f"{name}{one.passed} of {one.trials} passed, {one.pass_rate:.0%}; {report.threshold:.0%} are wanted."
    return Text(said, _GOOD if report.passed else _BAD)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style=_FAINT, padding=(0, 2, 0, 0))
    for position, name in enumerate(columns):
        # Only the first column gives way on a narrow terminal: numbers that are cut say something else.
        right = "right" if name.startswith(">") else "left"
        table.add_column(name.removeprefix(">"), justify=right, no_wrap=position > 0)
    return table
