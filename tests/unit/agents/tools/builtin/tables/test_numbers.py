"""How numbers are read: exactly, in the spelling that the whole column shows."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.tables.numbers import currencies, is_blank, number_format, spell


def read(*cells: str, prefer: str = "") -> list[Decimal | None]:
    """The values of a column."""
    found = number_format(cells, prefer)
    assert found is not None
    return [found.read(cell) for cell in cells]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1,234.56", "1234.56"),
        ("1.234,56", "1234.56"),
        ("1 234,56", "1234.56"),
        ("1\u00a0234,56", "1234.56"),
        ("1\u202f234,56", "1234.56"),
        ("1'234.56", "1234.56"),
        ("1’234.56", "1234.56"),
        ("12,34,567.89", "1234567.89"),
        ("1.234.567", "1234567"),
        ("(123.45)", "-123.45"),
        ("123.45-", "-123.45"),
        ("-123.45", "-123.45"),
        ("−123.45", "-123.45"),
        ("+123.45", "123.45"),
        ("$2,300.34", "2300.34"),
        ("($2,300.34)", "-2300.34"),
        ("-$5.00", "-5.00"),
        ("€ 12,50", "12.50"),
        ("12,50 EUR", "12.50"),
        ("CHF 1'234.50", "1234.50"),
        ("R$ 1.234,56", "1234.56"),
        ("1 234,56 Kč", "1234.56"),
        ("３，０７２．５４", "3072.54"),
        ("￥６，２２３．２４", "6223.24"),
        ("٣٬٠٧٢٫٥٤", "3072.54"),
        ("1,200.00 DR", "-1200.00"),
        ("1.200,00 S", "-1200.00"),
        ("1.5E+05", "150000"),
        (".5", "0.5"),
        ("0,125", "0.125"),
        ("90071992547409.93", "90071992547409.93"),
    ],
)
def test_a_number_is_read_exactly(cell: str, value: str) -> None:
    """Each spelling gives the exact decimal."""
    assert read(cell) == [Decimal(value)]


@pytest.mark.parametrize(
    "cell",
    ["12 %", "5%", "INV-1", "2026-03-01", "12:30", "1.2.3,4", "1 2 3", "EUR", "", "--5", "1e5", "9" * 30, "12 kg"],
)
def test_what_is_no_number_is_not_read_as_one(cell: str) -> None:
    """Percentages, codes, times and units are something else."""
    assert number_format((cell,)) is None


def test_the_whole_column_decides_an_unclear_cell() -> None:
    """`1.234` is a thousand beside a decimal comma, and little more than one where the dot is decimal."""
    assert read("1.234", "459,27") == [Decimal(1234), Decimal("459.27")]
    assert read("1.234", "0.98") == [Decimal("1.234"), Decimal("0.98")]


def test_an_undecided_column_is_read_with_thousands_and_says_so() -> None:
    """Nothing decides between 1234 and 1.234: an assumption, unless the neighbours decide it."""
    found = number_format(("1.234", "5.678"))
    assert found is not None
    assert found.read("1.234") == Decimal(1234)
    assert found.assumption == "`1.234` is read with `.` between thousands (nothing in the column decides it)"
    assert read("1.234", "5.678", prefer=".") == [Decimal("1.234"), Decimal("5.678")]


def test_a_cell_with_two_signs_between_thousands_decides() -> None:
    """`1,234,567` shows what the comma is, for its column and for the columns beside it."""
    found = number_format(("1,234", "1,234,567"))
    assert found is not None
    assert found.read("1,234") == Decimal(1234)
    assert (found.assumption, found.proven, found.grouped) == ("", False, True)


def test_a_clear_cell_is_believed_against_its_column() -> None:
    """Two spellings in one column are both read, and it is said."""
    found = number_format(("1,234.56", "2,000.00", "1.234,56"))
    assert found is not None
    assert found.read("1.234,56") == Decimal("1234.56")
    assert found.assumption == "numbers are spelled in two ways (2 with `.` as the decimal sign, 1 not)"


def test_only_credits_marked_means_the_others_are_debits() -> None:
    """On a card statement `CR` marks the refunds: they have the other sign."""
    assert read("10.00", "5.00 CR") == [Decimal("10.00"), Decimal("-5.00")]
    assert read("10.00 DR", "5.00 CR") == [Decimal("-10.00"), Decimal("5.00")]


def test_a_column_with_a_tenth_of_rubbish_is_still_numbers() -> None:
    """A few unreadable cells do not make a column text; more do."""
    cells = ["1.00"] * 9 + ["pending"]
    found = number_format(cells)
    assert found is not None
    assert found.read("pending") is None
    assert number_format([*cells, "soon"]) is None


def test_currencies_in_the_cells_are_counted() -> None:
    """Signs and codes beside the numbers are told, shared signs as they are."""
    assert currencies(("$5.00", "5,00 EUR", "€ 7", "8")) == {"$": 1, "EUR": 2}


def test_a_long_sum_stays_exact() -> None:
    """Digits beyond what a float holds are kept."""
    values = [value for value in read("9007199254740993.01", "0.02") if value is not None]
    assert sum(values, Decimal(0)) == Decimal("9007199254740993.03")
    assert spell("9007199254740993.01") is not None


@given(
    st.one_of(
        st.text("0123456789.,- +()'", max_size=30),
        st.text("0123456789.,-+ CRDSEUR€%$#/na`", max_size=12),
        st.from_regex(r"-?[0-9]{1,24}([.,][0-9]{0,24})?", fullmatch=True),
    )
)
def test_what_most_cells_are_is_read_like_the_rest(cell: str) -> None:
    """Plain numbers and words are told at a glance; a mark that nobody sees has them taken apart, to the same end."""
    assert spell(cell) == spell(f"\u200e{cell}")
    assert is_blank(cell) == is_blank(f"\u200e{cell}")
