"""Numbers and dates written in any locale's format are read back exactly."""

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.tables.dates import date_format
from agents.tools.builtin.tables.numbers import number_format

GROUPS = {".": ("", ",", " ", "'", "\u00a0", "\u202f", "’"), ",": ("", ".", " ", "'", "\u00a0")}
MARKS = (("", ""), ("€", ""), ("", " EUR"), ("$", ""), ("CHF ", ""), ("", " zł"), ("¥", ""))
SIGNS = (("-", ""), ("", "-"), ("(", ")"), ("−", ""))
values = st.decimals(min_value=-(10**12), max_value=10**12, places=2, allow_nan=False, allow_infinity=False)


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str, tuple[str, str], tuple[str, str], bool]:
    """Decimal sign, group sign, currency mark, sign of negatives, full width or not."""
    decimal = draw(st.sampled_from([".", ","]))
    return (
        decimal,
        draw(st.sampled_from(GROUPS[decimal])),
        draw(st.sampled_from(MARKS)),
        draw(st.sampled_from(SIGNS)),
        draw(st.booleans()),
    )


def write(value: Decimal, spelling: tuple[str, str, tuple[str, str], tuple[str, str], bool]) -> str:
    """A number as a locale writes it."""
    decimal, group, (before, after), (minus, closing), wide = spelling
    whole, _, fraction = f"{abs(value):,.2f}".partition(".")
    text = whole.replace(",", group) + decimal + fraction
    text = f"{before}{text}{after}"
    text = f"{minus}{text}{closing}" if value < 0 else text
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text) if wide else text


@given(st.lists(values, min_size=1, max_size=20), spellings())
def test_a_column_in_any_locale_reads_back_exactly(
    column: list[Decimal], spelling: tuple[str, str, tuple[str, str], tuple[str, str], bool]
) -> None:
    """Two decimals decide the format: every cell of the column is the value it was written from."""
    cells = [write(value, spelling) for value in column]
    found = number_format(cells)
    assert found is not None
    assert [found.read(cell) for cell in cells] == column
    assert found.assumption == ""


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=20), st.sampled_from([".", ","]))
def test_whole_numbers_follow_the_cell_that_decides(column: list[int], decimal: str) -> None:
    """One cell with cents settles what the group sign of all others is."""
    group = "," if decimal == "." else "."
    cells = [f"{value:,}".replace(",", group) for value in column] + [f"0{decimal}50"]
    found = number_format(cells)
    assert found is not None
    assert [found.read(cell) for cell in cells] == [*[Decimal(value) for value in column], Decimal("0.50")]


@given(st.text(max_size=80))
def test_any_text_is_a_number_or_is_not(cell: str) -> None:
    """Whatever stands in a cell, reading it never fails."""
    found = number_format((cell,))
    assert found is None or found.read(cell) is not None


ORDERS = ("%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d", "%d-%b-%Y", "%Y-%m-%dT00:00:00Z")


@given(st.lists(st.dates(date(1990, 1, 1), date(2060, 12, 31)), min_size=1, max_size=20), st.sampled_from(ORDERS))
def test_a_column_of_dates_reads_back_where_one_cell_decides(column: list[date], spelled: str) -> None:
    """The 31st of a month settles the order of the whole column."""
    days = [*column, date(2026, 3, 31)]
    cells = [day.strftime(spelled) for day in days]
    found = date_format(cells)
    assert found is not None
    assert [found.read(cell) for cell in cells] == days


@given(st.text(max_size=60))
def test_any_text_is_a_date_or_is_not(cell: str) -> None:
    """Whatever stands in a cell, reading it never fails."""
    found = date_format((cell,))
    assert found is None or found.read(cell) is not None
