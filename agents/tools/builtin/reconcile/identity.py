"""Whether a result may be presented at all: the totals tie out to the cent and every row is placed exactly once."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from agents.tools.builtin.reconcile.differences import money
from agents.tools.builtin.reconcile.entries import Side
from agents.tools.builtin.reconcile.result import (
    Booking,
    Break,
    BrokenRows,
    Match,
    Reconciliation,
    difference_of,
    totals_of,
)
from agents.tools.builtin.reconcile.state import SIDES
from orchestrator.errors import DefectError

_MOST_NAMED = 5


def check(left: Side, right: Side, result: Reconciliation) -> list[str]:
    """What is wrong with a result, measured against the bookings themselves; an empty list when nothing is."""
    violations = check_result(result)
    for name, side, told in (("left", left, result.left), ("right", right, result.right)):
        true = totals_of(side)
        if told.rows != true.rows or nonzero(told.totals) != nonzero(true.totals):
            violations.append(
                f"{name}: {told.rows} rows and {_shown(told.totals)} told, it has {true.rows} and {_shown(true.totals)}"
            )
    lefts = {entry.row: entry for entry in left.entries}
    rights = {entry.row: entry for entry in right.entries}
    for found in (*result.matches, *result.breaks):
        violations += _mistold(found, lefts, rights)
    return violations


def check_result(result: Reconciliation) -> list[str]:
    """What is wrong with a result by its own figures."""
    return [*_misplaced(result), *_unbalanced(result)]


def check_broken(result: Reconciliation, rows: BrokenRows) -> list[str]:
    """What is wrong with the differences of the breaks, measured against the bookings stored with them."""
    lefts = {one.row: one for one in rows.left}
    rights = {one.row: one for one in rows.right}
    return [violation for found in result.breaks for violation in _mistold(found, lefts, rights)]


def _mistold(found: Match | Break, lefts: Mapping[int, Booking], rights: Mapping[int, Booking]) -> Iterator[str]:
    true = difference_of(
        (lefts[row] for row in found.left if row in lefts), (rights[row] for row in found.right if row in rights)
    )
    if nonzero(true) != nonzero(found.difference):
        yield f"rows {list(found.left)} / {list(found.right)}: {_shown(found.difference)} told, {_shown(true)} is true"


def ensure(violations: Iterable[str]) -> None:
    """Raise DefectError when anything is wrong: such a result is never presented."""
    found = list(violations)
    if found:
        raise DefectError(
            f"the reconciliation does not tie out: {'; '.join(found[:_MOST_NAMED])}",
            mend="Nothing is presented. Please report this with both files.",
        )


def _misplaced(result: Reconciliation) -> list[str]:
    violations: list[str] = []
    placed: tuple[Match | Break, ...] = (*result.matches, *result.breaks)
    for side in SIDES:
        counts = Counter(row for found in placed for row in (found.left if side == "left" else found.right))
        rows = (result.left if side == "left" else result.right).rows
        wrong = sorted(
            {row for row in range(1, rows + 1) if counts[row] != 1} | {row for row in counts if not 1 <= row <= rows}
        )
        if wrong:
            violations.append(f"{side}: {len(wrong)} rows not placed exactly once, first {wrong[:_MOST_NAMED]}")
    return violations


def _unbalanced(result: Reconciliation) -> list[str]:
    violations = [
        f"match of rows {list(match.left)} / {list(match.right)} leaves {_shown(match.difference)}"
        for match in result.matches
        if nonzero(match.difference)
    ]
    explained = add(found.difference for found in (*result.matches, *result.breaks))
    gap = add([result.left.totals, {currency: -total for currency, total in result.right.totals.items()}])
    if nonzero(gap) != nonzero(explained):
        violations.append(f"left − right is {_shown(gap)}, the breaks sum to {_shown(explained)}")
    return violations


def add(sums: Iterable[Mapping[str, Decimal]]) -> dict[str, Decimal]:
    """The sums of several per currency."""
    total: dict[str, Decimal] = {}
    for one in sums:
        for currency, value in one.items():
            total[currency] = total.get(currency, Decimal(0)) + value
    return total


def nonzero(sums: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Without the currencies in which nothing is left."""
    return {currency: value for currency, value in sums.items() if value}


def _shown(sums: Mapping[str, Decimal]) -> str:
    return ", ".join(f"{money(value)} {currency}" for currency, value in sorted(sums.items())) or "nothing"
