"""Passes by reference: equal, spelled, grouped, and with a difference."""

from collections.abc import Callable

import pytest

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.passes.reference import reference
from agents.tools.builtin.reconcile.passes.reference_difference import reference_difference
from agents.tools.builtin.reconcile.passes.reference_group import reference_group
from agents.tools.builtin.reconcile.passes.reference_spelling import reference_spelling
from agents.tools.builtin.reconcile.state import Found

Book = Callable[..., Entry]
Run = Callable[..., Found]


def linked(found: Found) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(link.rows.left, link.rows.right) for link in found.links]


def test_equal_references_and_amounts(book: Book, run: Run) -> None:
    """The amount must be equal to the cent and in the same currency; names and dates do not matter."""
    left = [book(1, "10", "A1001"), book(2, "20", "A1002"), book(3, "30", "A1003")]
    right = [
        book(1, "30.00", "A1003", day=90, party="Other"),
        book(2, "20.01", "A1002"),
        book(3, "10", "A1001", currency="USD"),
    ]
    assert linked(run(reference, left, right)) == [((3,), (1,))]


def test_a_recurring_reference_links_the_nearest_months(book: Book, run: Run) -> None:
    """A rent with a contract number: each month its own payment, the unpaid month stays open."""
    left = [book(row, "900", "C77001", day=30 * row) for row in range(1, 5)]
    right = [book(row, "900", "C77001", day=day) for row, day in ((1, 31), (2, 92), (3, 122))]
    assert linked(run(reference, left, right)) == [((1,), (1,)), ((3,), (2,)), ((4,), (3,))]


@pytest.mark.parametrize("spelled", ["20260822", "RE20260822", "INVNO20260822", "INV020260822"])
def test_a_reference_in_another_spelling(book: Book, run: Run, spelled: str) -> None:
    """The number in the reference decides, with the exact amount."""
    left = [book(1, "10", "INV20260822")]
    assert linked(run(reference_spelling, left, [book(1, "10", spelled)])) == [((1,), (1,))]
    assert linked(run(reference_spelling, left, [book(1, "11", spelled)])) == []


def test_one_payment_for_several_invoices(book: Book, run: Run) -> None:
    """All bookings that a payment names, when they add up to it; a stranger to the sum is left out."""
    left = [book(row, amount, f"INV9000{row}") for row, amount in enumerate(("100", "250.50", "9.50", "70"), 1)]
    named = ("INV90001", "INV90002", "INV90003", "INV90004")
    assert linked(run(reference_group, left, [book(1, "430", *named)])) == [((1, 2, 3, 4), (1,))]
    assert linked(run(reference_group, left, [book(1, "360", *named)])) == [((1, 2, 3), (1,))]
    assert linked(run(reference_group, left, [book(1, "361", *named)])) == []


def test_one_invoice_paid_in_parts(book: Book, run: Run) -> None:
    """The other way round, and with the parts days apart."""
    right = [book(1, "60", "INV90001", day=2), book(2, "40", "INV90001", day=20)]
    assert linked(run(reference_group, [book(1, "100", "INV90001")], right)) == [((1,), (1, 2))]


def test_a_payment_that_names_only_its_first_invoice(book: Book, run: Run) -> None:
    """What it does not name is found among the same party's bookings of that time, and of no other party."""
    left = [
        book(1, "1957.60", "INV90001"),
        book(2, "6157.66", "INV90002"),
        book(3, "6157.66", "INV90003", party="Kestrel Air"),
    ]
    assert linked(run(reference_group, left, [book(1, "8115.26", "INV90001", day=3)])) == [((1, 2), (1,))]


def test_an_equal_reference_with_another_amount(book: Book, run: Run) -> None:
    """One on each side belongs together, however far the amounts are apart."""
    found = run(reference_difference, [book(1, "5000", "INV90001")], [book(1, "1200", "INV90001", party="Other")])
    assert linked(found) == [((1,), (1,))]


def test_a_likely_number_under_another_name_is_not_believed(book: Book, run: Run) -> None:
    """A number that is only spelled alike needs a party that does not disagree."""
    left = [book(1, "5000", "INV90001")]
    assert linked(run(reference_difference, left, [book(1, "1200", "90001", party="Zebra Quartz")])) == []
    assert linked(run(reference_difference, left, [book(1, "1200", "90001", party="")])) == [((1,), (1,))]


def test_a_split_payment_with_a_fee(book: Book, run: Run) -> None:
    """Several parts whose sum is nearly right are one group; far off, only the explained pair is linked."""
    left = [book(1, "100", "INV90001")]
    parts = [book(1, "60", "INV90001"), book(2, "31", "INV90001")]
    assert linked(run(reference_difference, left, parts)) == [((1,), (1, 2))]
    others = [book(1, "91", "INV90001"), book(2, "700", "INV90001")]
    assert linked(run(reference_difference, left, others)) == [((1,), (1,))]


def test_a_customer_number_proves_nothing(book: Book, run: Run) -> None:
    """A reference on many rows links no unequal amounts."""
    left = [book(row, f"{row}17.35", "CUST77") for row in range(1, 8)]
    assert linked(run(reference_difference, left, [book(1, "99.10", "CUST77")])) == []
