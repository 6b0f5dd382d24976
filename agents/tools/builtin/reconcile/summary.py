"""The figures of a report, computed once and stored with the result, so that each can be cited and checked."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from agents.tools.builtin.reconcile.identity import add
from agents.tools.builtin.reconcile.result import (
    BREAK_ORDER,
    Booking,
    Break,
    BreakKind,
    Match,
    MatchKind,
    Money,
    Reconciliation,
    Stored,
    Sums,
    sums_of,
)


class Tally(Stored):
    """The matches of one rule and kind: how many, how many rows, and how much money they settle."""

    rule: str
    kind: MatchKind
    links: int
    left_rows: int
    right_rows: int
    settled: Sums


class BreakTally(Stored):
    """The breaks of one kind."""

    kind: BreakKind
    breaks: int
    left_rows: int
    right_rows: int
    difference: Sums


class Step(Stored):
    """What the breaks of one kind leave in the totals of one currency."""

    kind: BreakKind
    breaks: int
    difference: Money


class Bridge(Stored):
    """The way from the left total to the right one in one currency: left − each step = right."""

    currency: str
    left_total: Money
    steps: tuple[Step, ...]
    right_total: Money
    difference: Money


class Summary(Stored):
    """All figures of a report."""

    matched_left: int
    matched_right: int
    broken_left: int
    broken_right: int
    matches: int
    breaks: int
    open_questions: int
    by_rule: tuple[Tally, ...]
    by_kind: tuple[BreakTally, ...]
    bridges: tuple[Bridge, ...]


def tally(matches: Iterable[Match], bookings: Callable[[tuple[int, ...]], Iterable[Booking]]) -> tuple[Tally, ...]:
    """Matches counted by rule and kind; `bookings` gives the bookings of left rows."""
    groups: dict[tuple[str, MatchKind], list[Match]] = defaultdict(list)
    for found in matches:
        groups[found.rule, found.kind].append(found)
    return tuple(
        Tally(
            rule=rule,
            kind=kind,
            links=len(group),
            left_rows=sum(len(found.left) for found in group),
            right_rows=sum(len(found.right) for found in group),
            settled=sums_of(booking for found in group for booking in bookings(found.left)),
        )
        for (rule, kind), group in sorted(groups.items())
    )


def merged(tallies: Iterable[Tally]) -> tuple[Tally, ...]:
    """Tallies of the same rule and kind as one."""
    groups: dict[tuple[str, MatchKind], list[Tally]] = defaultdict(list)
    for one in tallies:
        groups[one.rule, one.kind].append(one)
    return tuple(
        Tally(
            rule=rule,
            kind=kind,
            links=sum(one.links for one in group),
            left_rows=sum(one.left_rows for one in group),
            right_rows=sum(one.right_rows for one in group),
            settled=add(one.settled for one in group),
        )
        for (rule, kind), group in sorted(groups.items())
    )


def summarise(result: Reconciliation, by_rule: tuple[Tally, ...], open_questions: int) -> Summary:
    """All figures of a result."""
    return Summary(
        matched_left=sum(one.left_rows for one in by_rule),
        matched_right=sum(one.right_rows for one in by_rule),
        broken_left=sum(len(found.left) for found in result.breaks),
        broken_right=sum(len(found.right) for found in result.breaks),
        matches=len(result.matches),
        breaks=len(result.breaks),
        open_questions=open_questions,
        by_rule=by_rule,
        by_kind=tuple(_tally_of(kind, result.breaks) for kind in BREAK_ORDER if _of(kind, result.breaks)),
        bridges=_bridges(result),
    )


def _of(kind: BreakKind, breaks: Iterable[Break]) -> list[Break]:
    return [found for found in breaks if found.kind == kind]


def _tally_of(kind: BreakKind, breaks: Iterable[Break]) -> BreakTally:
    mine = _of(kind, breaks)
    return BreakTally(
        kind=kind,
        breaks=len(mine),
        left_rows=sum(len(found.left) for found in mine),
        right_rows=sum(len(found.right) for found in mine),
        difference=add(found.difference for found in mine),
    )


def _bridges(result: Reconciliation) -> tuple[Bridge, ...]:
    zero = Decimal(0)
    return tuple(
        Bridge(
            currency=currency,
            left_total=result.left.totals.get(currency, zero),
            steps=tuple(_steps(currency, result.breaks)),
            right_total=result.right.totals.get(currency, zero),
            difference=result.left.totals.get(currency, zero) - result.right.totals.get(currency, zero),
        )
        for currency in sorted({*result.left.totals, *result.right.totals})
    )


def _steps(currency: str, breaks: Iterable[Break]) -> Iterator[Step]:
    mine = [found for found in breaks if currency in found.difference]
    for kind in BREAK_ORDER:
        differences = [found.difference[currency] for found in mine if found.kind == kind]
        if differences:
            yield Step(kind=kind, breaks=len(differences), difference=sum(differences, Decimal(0)))
