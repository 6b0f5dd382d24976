"""Two sides in one sign and with comparable currencies and references."""

from datetime import date
from decimal import Decimal

from agents.tools.builtin.reconcile.columns import align
from agents.tools.builtin.reconcile.entries import Entry, Side


def side(name: str, *rows: tuple[str, str, tuple[str, ...]]) -> Side:
    """A side of rows of amount, currency and references."""
    return Side(
        name,
        tuple(
            Entry(row, Decimal(amount), currency, date(2026, 3, 1), references, "", "")
            for row, (amount, currency, references) in enumerate(rows, start=1)
        ),
    )


def test_equal_amounts_under_equal_references_decide_the_sign() -> None:
    """Not the totals: a large credit note changes the sum's sign, not the convention."""
    left = side("l", ("-10", "EUR", ("A1",)), ("-20", "EUR", ("A2",)), ("-30", "EUR", ("A3",)), ("900", "EUR", ("A4",)))
    right = side("r", ("10", "EUR", ("A1",)), ("20", "EUR", ("A2",)), ("30", "EUR", ("A3",)), ("70", "EUR", ("A5",)))
    turned, same, said = align(left, right)
    assert [entry.amount for entry in turned.entries] == [Decimal(10), Decimal(20), Decimal(30), Decimal(-900)]
    assert same == right
    assert said == (
        "`l` counts with the opposite sign of `r` (3 equal amounts show it). Its amounts are turned to the right "
        "side's sign.",
    )


def test_equal_amounts_that_occur_once_decide_where_no_reference_does() -> None:
    """Amount by amount, in either direction."""
    left = side("l", ("-10", "EUR", ()), ("-20", "EUR", ()), ("-30", "EUR", ()), ("-5", "EUR", ()), ("-5", "EUR", ()))
    right = side("r", ("10", "EUR", ()), ("20", "EUR", ()), ("30", "EUR", ()))
    assert [entry.amount for entry in align(left, right)[0].entries][:3] == [Decimal(10), Decimal(20), Decimal(30)]
    assert align(right, right)[2] == ()


def test_without_anything_in_common_the_sign_of_most_amounts_decides() -> None:
    """And mixed sides stay as they are."""
    minus = side("l", ("-10", "EUR", ()), ("-21", "EUR", ()))
    plus = side("r", ("33", "EUR", ()), ("44", "EUR", ()))
    mixed = side("m", ("33", "EUR", ()), ("-44", "EUR", ()))
    turned, _, said = align(minus, plus)
    assert turned.totals() == {"EUR": Decimal(31)}
    assert "by the sign of most amounts" in said[0]
    assert align(mixed, plus)[2] == ()


def test_an_unnamed_currency_takes_the_only_name_of_the_other_side() -> None:
    """On either side."""
    named, unnamed = side("a", ("10", "EUR", ())), side("b", ("10", "XXX", ()))
    assert align(named, unnamed)[1].totals() == {"EUR": Decimal(10)}
    assert align(unnamed, named)[0].totals() == {"EUR": Decimal(10)}
    assert align(unnamed, unnamed)[0].totals() == {"XXX": Decimal(10)}


def test_an_unnamed_currency_beside_several_is_that_of_the_partner() -> None:
    """By reference before amount; what has no partner stays unnamed, and it is said."""
    left = side("l", ("10", "XXX", ("A1",)), ("20", "XXX", ("A2",)), ("77", "XXX", ("A9",)))
    right = side("r", ("20", "EUR", ("A1",)), ("10", "USD", ("A2",)), ("5", "USD", ("A3",)))
    found, _, said = align(left, right)
    assert [entry.currency for entry in found.entries] == ["EUR", "USD", "XXX"]
    assert said == ("`l` names no currency; 2 bookings take that of their partner in `r`, 1 stay without one.",)


def test_a_shared_sign_means_what_the_tables_name() -> None:
    """`$` beside CAD is CAD, alone it is USD; `¥` with cents is no yen."""
    dollars = side("l", ("10", "$", ()))
    assert align(dollars, side("r", ("10", "CAD", ())))[0].totals() == {"CAD": Decimal(10)}
    assert align(dollars, side("r", ("10", "XXX", ())))[1].totals() == {"USD": Decimal(10)}
    assert align(side("l", ("10.50", "¥", ())), dollars)[0].totals() == {"CNY": Decimal("10.50")}
    assert align(side("l", ("1050", "¥", ())), dollars)[0].totals() == {"JPY": Decimal(1050)}


def test_references_that_the_other_side_knows_come_first_in_its_spelling() -> None:
    """A bare number is the invoice that ends with it."""
    left = side("l", ("10", "EUR", ("INV20268357",)), ("20", "EUR", ("INV20268358",)))
    right = side("r", ("10", "EUR", ("KD10023", "20268357")), ("20", "EUR", ("PO77", "INV20268358")))
    found = align(left, right)[1]
    assert found.entries[0].references == ("INV20268357", "KD10023")
    assert found.entries[1].references == ("INV20268358", "PO77")
