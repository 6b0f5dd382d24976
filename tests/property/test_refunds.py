"""Refunds hold to what was paid, whatever is asked for and however often."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.errors import ToolError
from agents.teams.orders.ledger import Booked, Booking, Ledger

PAID = Decimal("100.00")
_CALLS = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 9_000)), max_size=12)


def booked(ledger: Ledger, key: str, cents: int) -> Booked | None:
    """Try to book a refund; None: it was refused."""
    try:
        return ledger.book(Booking(key, "A", Decimal(cents) / 100, Decimal(1), "so", "now"), PAID)
    except ToolError as error:
        assert error.code == "too_much"
        return None


@settings(max_examples=30, deadline=None)
@given(_CALLS, st.booleans())
def test_refunds_never_exceed_what_was_paid(calls: list[tuple[str, int]], at_once: bool) -> None:
    """Also when they are asked for at the same time; a key is booked once, with its first amount."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(3 if at_once else 1) as executor:
        ledger = Ledger(Path(folder) / "refunds.db")
        keys, amounts = [key for key, _ in calls], [cents for _, cents in calls]
        done = list(executor.map(partial(booked, ledger), keys, amounts))
        kept = {one.booking.key: one.booking.amount for one in done if one}
        assert ledger.refunded("A") == sum(kept.values(), Decimal(0)) <= PAID
        assert sum(not one.again for one in done if one) == len(kept)
        assert all(one is None or one.booking.amount == kept[one.booking.key] for one in done)
