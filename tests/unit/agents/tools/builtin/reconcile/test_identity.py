"""The identity: what does not tie out, or places a row twice or never, is found before anybody sees it."""

from datetime import date
from decimal import Decimal

import pytest

from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.identity import check, check_result, ensure
from agents.tools.builtin.reconcile.matching import match
from agents.tools.builtin.reconcile.result import Break, Match, Reconciliation
from orchestrator.errors import DefectError


def side(name: str, *amounts: str) -> Side:
    entries = (
        Entry(row, Decimal(amount), "EUR", date(2026, 3, 1), (f"INV{row + 10_000}",), "Acme", "")
        for row, amount in enumerate(amounts, start=1)
    )
    return Side(name, tuple(entries))


LEFT, RIGHT = side("ledger", "100.00", "50.00", "7.00"), side("bank", "100.00", "41.00")


def good() -> Reconciliation:
    return match(LEFT, RIGHT).result


def changed(result: Reconciliation, **update: object) -> Reconciliation:
    return result.model_copy(update=update)


def test_a_good_result_has_no_violation() -> None:
    """Matches and breaks add up to the totals and hold every row."""
    assert check(LEFT, RIGHT, good()) == []


def test_a_cent_is_enough() -> None:
    """One difference off by a cent is found, and named with both figures."""
    result = good()
    first, *others = result.breaks
    wrong = first.model_copy(update={"difference": {"EUR": first.difference["EUR"] + Decimal("0.01")}})
    violations = check(LEFT, RIGHT, changed(result, breaks=(wrong, *others)))
    assert len(violations) == 2
    assert "left − right is 16.00 EUR, the breaks sum to 16.01 EUR" in violations


def test_a_row_left_out_and_a_row_placed_twice() -> None:
    """Both are violations, with the rows named."""
    result = good()
    assert check_result(changed(result, matches=()))[:2] == [
        "left: 1 rows not placed exactly once, first [1]",
        "right: 1 rows not placed exactly once, first [1]",
    ]
    doubled = changed(result, matches=(*result.matches, *result.matches))
    assert "left: 1 rows not placed exactly once, first [1]" in check_result(doubled)


def test_a_row_that_does_not_exist() -> None:
    """A row beyond the file is a violation even when its difference is nothing."""
    stray = Break(kind="date", left=(9,), right=(), difference={"EUR": Decimal(0)}, explanation="")
    assert check_result(changed(good(), breaks=(*good().breaks, stray))) == [
        "left: 1 rows not placed exactly once, first [9]"
    ]


def test_a_match_must_leave_nothing() -> None:
    """A match with a difference is no match, even where the sums happen to tie out."""
    odd = Match(left=(2,), right=(2,), kind="match", rule="reference", difference={"EUR": Decimal("9.00")})
    others = tuple(found for found in good().breaks if found.left != (2,))
    result = changed(good(), matches=(*good().matches, odd), breaks=others)
    assert "match of rows [2] / [2] leaves 9.00 EUR" in check_result(result)


def test_totals_are_measured_against_the_bookings() -> None:
    """Totals that agree with the breaks but not with the files are found."""
    result = good()
    told = result.left.model_copy(update={"totals": {"EUR": Decimal("158.00")}})
    right = result.right.model_copy(update={"totals": {"EUR": Decimal("142.00")}})
    violations = check(LEFT, RIGHT, changed(result, left=told, right=right))
    assert "left: 3 rows and 158.00 EUR told, it has 3 and 157.00 EUR" in violations


def test_a_violation_stops_everything() -> None:
    """A result with a violation raises; one without passes."""
    ensure([])
    with pytest.raises(DefectError, match="does not tie out: left is wrong"):
        ensure(["left is wrong"])
