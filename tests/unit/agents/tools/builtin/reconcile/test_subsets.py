"""Exact sums: found when they are there, given up when they say nothing or cost too much."""

import time
from decimal import Decimal
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.reconcile.subsets import exact_sums, telling_size


def amounts(*values: str) -> list[Decimal]:
    return [Decimal(value) for value in values]


def test_the_parts_of_a_payment_are_found() -> None:
    """Positions of the parts, in order."""
    parts = amounts("1957.60", "12.00", "6157.66", "3717.91", "168.68")
    assert exact_sums(parts, Decimal("12001.85"), 4) == [(0, 2, 3, 4)]


def test_a_credit_note_counts_with_its_sign() -> None:
    """An invoice less a credit note is one payment."""
    assert exact_sums(amounts("1000", "-100", "700"), Decimal("900"), 3) == [(0, 1)]


def test_every_way_is_told_up_to_a_limit() -> None:
    """Several solutions come back, the smaller ones first."""
    assert exact_sums(amounts("60", "40", "70", "30", "10"), Decimal("100"), 3) == [(2, 3), (0, 1), (0, 3, 4)]
    assert len(exact_sums(amounts(*["50"] * 10), Decimal("100"), 2, solutions=3)) == 3


@given(st.lists(st.integers(-50, 50), max_size=7), st.integers(-100, 100))
def test_it_agrees_with_trying_everything(values: list[int], target: int) -> None:
    """The subsets found are exactly those there are."""
    given_amounts = [Decimal(value) for value in values]
    expected = {
        subset
        for size in range(2, 5)
        for subset in combinations(range(len(values)), size)
        if sum(values[at] for at in subset) == target
    }
    assert set(exact_sums(given_amounts, Decimal(target), 4, solutions=100)) == expected


def test_hopeless_searches_end() -> None:
    """Forty amounts that never fit take no exponential time."""
    started = time.monotonic()
    assert exact_sums([Decimal(2 * at + 1000) for at in range(40)], Decimal("19001"), 20) == []
    assert time.monotonic() - started < 60


def test_a_size_that_hits_by_chance_is_not_searched() -> None:
    """Few candidates and a large amount say something; many candidates and a small amount do not."""
    assert telling_size(6, Decimal("12001.85"), 6) == 6
    assert telling_size(40, Decimal("120.00"), 6) == 1
    assert telling_size(1, Decimal("120.00"), 6) == 1
