"""How dates are read: in the one order that a whole column shows, or by what stands beside it."""

from datetime import date

import pytest

from agents.tools.builtin.tables.dates import DateFormat, DateHints, date_format


def found_in(*cells: str, hints: DateHints | None = None) -> DateFormat:
    """The format of a column of dates."""
    found = date_format(cells, hints)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "cell",
    [
        "2026-03-01",
        "2026/3/1",
        "2026.03.01.",
        "20260301",
        "2026-03-01T00:00:00Z",
        "2026-03-01 23:59:59.999",
        "2026-03-01T00:30:00+02:00",
        "01.03.2026",
        "1.3.26",
        "01-Mar-2026",
        "01MAR26",
        "1 March 2026",
        "March 1, 2026",
        "Sun 1 Mar 2026",
        "So, 01.03.2026",
        "1. März 2026",
        "1er mars 2026",
        "1 de marzo de 2026",
        "1 marca 2026",
        "1 марта 2026",
        "2026年3月1日",
        "2026년 3월 1일",
        "令和8年3月1日",
        "２０２６／０３／０１",
    ],
)
def test_a_date_that_shows_its_order_is_read(cell: str) -> None:
    """Each spelling is the first of March, with nothing to assume."""
    found = found_in(cell)
    assert found.read(cell) == date(2026, 3, 1)
    assert found.assumption == ""


@pytest.mark.parametrize(
    "cell", ["31.02.2026", "2026-13-01", "INV-20260301", "1,234.56", "12:30", "March 2026", "12.34.56", "45678", "0.5"]
)
def test_what_is_no_date_is_not_read_as_one(cell: str) -> None:
    """Impossible days, codes, amounts and times are something else."""
    assert date_format((cell,)) is None


def test_one_cell_decides_for_the_whole_column() -> None:
    """A day above twelve in either place settles the order of all."""
    assert found_in("03/01/2026", "03/28/2026").read("03/01/2026") == date(2026, 3, 1)
    assert found_in("03/01/2026", "28/01/2026").read("03/01/2026") == date(2026, 1, 3)


def test_a_neighbour_settles_an_open_order() -> None:
    """The other date columns of a table are spelled the same way."""
    found = found_in("03/04/2026", hints=DateHints(prefer="mdy"))
    assert found.read("03/04/2026") == date(2026, 3, 4)
    assert found.assumption == ("`03/04/2026` is read as month-day-year: the other dates of this table are spelled so")


def test_the_time_of_the_other_table_settles_an_open_order() -> None:
    """Dates that fall into the month of the other file are meant."""
    near = (date(2026, 4, 1), date(2026, 4, 30))
    found = found_in("03/04/2026", "05/04/2026", hints=DateHints(near=near))
    assert found.read("05/04/2026") == date(2026, 4, 5)
    assert not found.sure


def test_dates_that_lie_closest_together_are_meant() -> None:
    """A statement covers weeks, not the second of every month."""
    found = found_in("03/02/2026", "03/05/2026", "03/09/2026", "03/11/2026")
    assert found.order == "mdy"
    assert "closest together" in found.assumption


def test_what_nothing_decides_is_day_first_and_said() -> None:
    """A single open date is an assumption."""
    found = found_in("03/04/2026")
    assert found.read("03/04/2026") == date(2026, 4, 3)
    assert found.assumption == "`03/04/2026` is read as day-month-year: nothing in the table decides it"


def test_serial_numbers_are_dates_only_where_the_column_says_so() -> None:
    """46082 is a day in a column of dates, and a number anywhere else."""
    assert date_format(("46082",)) is None
    found = found_in("46082", "46083.5", hints=DateHints(serial=True))
    assert found.read("46082") == date(2026, 3, 1)
    assert found.read("46083.5") == date(2026, 3, 2)


def test_two_digit_years_are_of_this_century_up_to_69() -> None:
    """`26` is 2026 and `99` is 1999."""
    assert found_in("31.12.26").read("31.12.26") == date(2026, 12, 31)
    assert found_in("31.12.99").read("31.12.99") == date(1999, 12, 31)
