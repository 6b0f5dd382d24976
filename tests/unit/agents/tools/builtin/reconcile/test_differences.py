"""Why amounts differ: what rules explain, and what is left to a person."""

from decimal import Decimal

import pytest

from agents.tools.builtin.reconcile.differences import money, reason_of, swapped_digits, typical_of_swapped_digits


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        ("4407.21", "4407.20", "rounding"),
        ("400.72", "400.82", "rounding"),
        ("5150.90", "5141.90", "fee"),
        ("243.04", "234.04", "fee"),
        ("1000.00", "980.00", "discount"),
        ("8909.06", "8775.17", "tariff"),
        ("1328.87", "1308.69", "tariff"),
        ("1892.37", "1982.37", "swapped_digits"),
        ("1615.14", "1705.14", "swapped_digits"),
        ("83.66", "173.66", "swapped_digits"),
        ("5263.10", "5182.44", "share"),
        ("1190.00", "1000.00", "tax"),
        ("123.45", "1234.50", "decimal_point"),
        ("500.00", "-500.00", "sign"),
        ("4812.46", "4212.46", "typo"),
        ("5000.00", "3127.40", "open"),
        ("1200.00", "300.00", "open"),
        ("20.00", "-7.00", "open"),
        ("0.00", "40.00", "open"),
    ],
)
def test_the_reason_of_a_difference(left: str, right: str, kind: str) -> None:
    """Each typical difference has its name, whichever side is the higher one; the rest is open."""
    assert reason_of(Decimal(left), Decimal(right)).kind == kind
    assert reason_of(Decimal(right), Decimal(left)).kind == kind


def test_a_difference_that_many_bookings_have_is_known() -> None:
    """What is open for one booking is a deduction when it recurs."""
    left, right = Decimal("700.00"), Decimal("622.50")
    assert not reason_of(left, right).known
    assert reason_of(left, right, repeated={Decimal("77.50")}).kind == "repeated"


def test_the_reason_names_its_figures() -> None:
    """The text says how far off, and of what, in figures that stand in the data too."""
    assert reason_of(Decimal("1000"), Decimal("980")).text == "off by 20.00, 2 % of 1000.00: a cash discount"
    assert reason_of(Decimal("5000"), Decimal("3127.4")).text == "off by 1872.60, and no rule explains it"


@pytest.mark.parametrize(("one", "other"), [("1234.56", "1324.56"), ("12.34", "13.24"), ("120.10", "102.10")])
def test_two_neighbouring_digits_swapped(one: str, other: str) -> None:
    """Neighbours that change places, also across the decimal point."""
    assert swapped_digits(Decimal(one), Decimal(other))


@pytest.mark.parametrize(("one", "other"), [("1234.56", "4231.56"), ("1234.56", "1235.56"), ("12.00", "120.00")])
def test_other_changes_are_no_swap(one: str, other: str) -> None:
    """Digits far apart, a single digit, another length."""
    assert not swapped_digits(Decimal(one), Decimal(other))


def test_nines_are_typical_of_swaps() -> None:
    """9, 18 … 81 times a power of ten; nothing else that nine divides."""
    assert all(typical_of_swapped_digits(Decimal(off)) for off in ("0.90", "9", "90", "630", "72"))
    assert not any(typical_of_swapped_digits(Decimal(off)) for off in ("0.09", "99", "117", "1.005", "10"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("5", "5.00"),
        ("8.7", "8.70"),
        ("3.333", "3.333"),
        ("1.500", "1.50"),
        ("-0.1", "-0.10"),
        ("1E+3", "1000.00"),
        ("0", "0.00"),
    ],
)
def test_money_has_at_least_two_decimals(value: str, text: str) -> None:
    """Exact, without exponent, without useless zeros."""
    assert money(Decimal(value)) == text
