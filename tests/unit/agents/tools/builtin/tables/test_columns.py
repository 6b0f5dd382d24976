"""The kind of each column, and what neighbours settle."""

from datetime import date
from decimal import Decimal

from agents.tools.builtin.tables.columns import Column, typed_columns, with_dates_near
from agents.tools.builtin.tables.reading import parse_table


def columns(text: str) -> dict[str, Column]:
    """The typed columns of a table by name."""
    return {column.name: column for column in typed_columns(parse_table(text.encode(), "t.csv"))}


def test_columns_get_the_kind_that_nearly_all_cells_have() -> None:
    """Numbers, dates, text, and nothing; digits with leading zeros are names."""
    found = columns(
        "date,amount,code,party,empty\n2026-03-01,10.50,000731,Acme,\n2026-03-02,-9.00,000732,Beta,\n"
        "2026-03-03,n/a,004711,Acme,-\n"
    )
    assert {name: column.kind for name, column in found.items()} == {
        "date": "date",
        "amount": "number",
        "code": "text",
        "party": "text",
        "empty": "empty",
    }
    assert found["amount"].values() == (Decimal("10.50"), Decimal("-9.00"), None)
    assert found["date"].days()[0] == date(2026, 3, 1)


def test_an_open_date_is_settled_by_the_dates_beside_it() -> None:
    """The due date of the 31st shows that the day comes second in both columns."""
    found = columns("date,due,amount\n03/04/2026,03/31/2026,1.50\n03/05/2026,04/01/2026,2.50\n")
    assert found["date"].days() == (date(2026, 3, 4), date(2026, 3, 5))
    assert found["date"].assumption == (
        "Column `date`: `03/04/2026` is read as month-day-year: the other dates of this table are spelled so."
    )


def test_an_open_number_is_settled_by_the_numbers_beside_it() -> None:
    """`1.234` is 1234 beside a column of decimal commas."""
    found = columns("ref;tax;rate\nA-1;12,50;1.234\nA-2;9,99;5.678\n")
    assert found["rate"].values() == (Decimal(1234), Decimal(5678))


def test_an_open_date_is_settled_by_the_time_of_another_table() -> None:
    """With nothing in the table itself, the other table's month decides; sure dates stay as they are."""
    typed = typed_columns(parse_table(b"date,booked,amount\n03/04/2026,2026-04-04,1.50\n", "t.csv"))
    near = with_dates_near(typed, (date(2026, 3, 1), date(2026, 3, 31)))
    assert typed[0].days() == (date(2026, 4, 3),)
    assert near[0].days() == (date(2026, 3, 4),)
    assert near[1] == typed[1]
    assert with_dates_near(typed, None) == typed


def test_serial_numbers_under_a_name_of_dates_are_dates() -> None:
    """A spreadsheet that lost its formats."""
    found = columns("Buchungsdatum;Betrag\n46082;12,50\n46083;9,99\n")
    assert found["Buchungsdatum"].days() == (date(2026, 3, 1), date(2026, 3, 2))


def test_a_workbooks_numbers_need_no_guess() -> None:
    """Stored numbers have a dot, whatever three digits follow it."""
    import io

    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["ref", "rate"], ["A-1", 1.234], ["A-2", 5.678]):
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    rate = typed_columns(parse_table(file.getvalue(), "t.xlsx"))[1]
    assert rate.values() == (Decimal("1.234"), Decimal("5.678"))
