"""Reading the sheet with data of a workbook."""

import io
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

import openpyxl
import pytest

from agents.tools.builtin.tables.reading import Limits, parse_table
from orchestrator.errors import InputError

ROWS: Sequence[Sequence[Any]] = [
    ["Date", "Text", "Ref", "Amount"],
    [date(2026, 3, 1), "Acme", "A-1001", 10.5],
    [
        datetime(2026, 3, 2, 14, 30),  # noqa: DTZ001 a spreadsheet knows no zones
        "Beta",
        "A-1002",
        0.1 + 0.2,
    ],
    [date(2026, 3, 3), "Acme", "A-1003", 1234567.89],
]


def workbook(fill: Callable[[openpyxl.Workbook], None]) -> bytes:
    """The bytes of a workbook."""
    book = openpyxl.Workbook()
    fill(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_rows(book: openpyxl.Workbook) -> None:
    """One sheet with the rows, from its first cell."""
    sheet = book.active
    assert sheet is not None
    for row in ROWS:
        sheet.append(list(row))


def test_dates_and_numbers_come_as_they_are_stored() -> None:
    """Real dates in ISO, numbers with the 15 digits a spreadsheet keeps."""
    found = parse_table(workbook(with_rows), "t.xlsx")
    assert found.source.sheet == "Sheet"
    assert found.rows == (
        ("2026-03-01", "Acme", "A-1001", "10.5"),
        ("2026-03-02 14:30:00", "Beta", "A-1002", "0.3"),
        ("2026-03-03", "Acme", "A-1003", "1234567.89"),
    )
    assert found.lines == (2, 3, 4)


def test_a_cover_sheet_before_the_table_is_passed_over() -> None:
    """The first sheet with data, and what else there is, is said; a named sheet is taken."""

    def fill(book: openpyxl.Workbook) -> None:
        cover = book.active
        assert cover is not None
        cover.title = "Cover"
        cover["A1"] = "Statement"
        table = book.create_sheet("Data")
        table["B2"] = "Report"
        for row in ROWS:
            table.append(["", *row])

    data = workbook(fill)
    found = parse_table(data, "t.xlsx")
    assert found.source.sheet == "Data"
    assert found.header == ("Date", "Text", "Ref", "Amount")
    assert found.header_line == 3
    assert found.assumptions == ("The sheet `Data` was read; `Cover` too hold data.",)
    with pytest.raises(InputError, match=r"the workbook has no sheet `Other`\. It has `Cover`, `Data`"):
        parse_table(data, "t.xlsx", sheet="Other")


def test_a_hidden_sheet_is_not_read_unless_named() -> None:
    """What people do not see is not what they mean."""

    def fill(book: openpyxl.Workbook) -> None:
        with_rows(book)
        hidden = book.create_sheet("Old")
        hidden.sheet_state = "hidden"
        for row in range(50):
            hidden.append(["X", row])

    data = workbook(fill)
    assert parse_table(data, "t.xlsx").source.sheet == "Sheet"
    assert parse_table(data, "t.xlsx", sheet="Old").source.sheet == "Old"


def test_a_currency_shown_by_the_number_format_is_read() -> None:
    """`10,50 €` may be stored as 10.5 with a format."""

    def fill(book: openpyxl.Workbook) -> None:
        with_rows(book)
        sheet = book.active
        assert sheet is not None
        sheet["D2"].number_format = "#,##0.00\\ [$€-407]"
        sheet["D3"].number_format = "[$USD]\\ #,##0.00"

    assert parse_table(workbook(fill), "t.xlsx").column("Amount") == ("10.5 EUR", "0.3 USD", "1234567.89")


def test_formulas_without_a_stored_result_are_said() -> None:
    """A program that writes formulas does not calculate them."""

    def fill(book: openpyxl.Workbook) -> None:
        with_rows(book)
        sheet = book.active
        assert sheet is not None
        sheet.append([date(2026, 3, 4), "Acme", "A-1004", "=D2*2"])

    found = parse_table(workbook(fill), "t.xlsx")
    assert found.rows[-1] == ("2026-03-04", "Acme", "A-1004", "")
    assert found.assumptions == ("1 formulas have no stored result and are read as blank.",)


def test_broken_foreign_and_protected_workbooks_are_refused() -> None:
    """One line each."""
    data = workbook(with_rows)
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme.txt", "no workbook")
    protected = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le")
    for broken in (data[:400], data[:-300], other.getvalue(), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600):
        with pytest.raises(InputError, match="the file is no workbook, or a damaged one"):
            parse_table(broken, "t.xlsx")
    with pytest.raises(InputError, match="the workbook is protected by a password"):
        parse_table(protected, "t.xlsx")
    with pytest.raises(InputError, match="the workbook has no visible sheet with data"):
        parse_table(workbook(lambda _: None), "t.xlsx")
    with pytest.raises(InputError, match="a text file has no sheet `Data`"):
        parse_table(b"a,b\n1,2\n", "t.csv", sheet="Data")


def test_a_sheet_with_a_stray_far_off_cell_is_refused_before_it_fills_the_memory() -> None:
    """A cell at the edge of the sheet makes a rectangle of billions of cells."""

    def fill(book: openpyxl.Workbook) -> None:
        with_rows(book)
        sheet = book.active
        assert sheet is not None
        sheet["XFD1048576"] = "x"

    with pytest.raises(InputError, match="a sheet spans more than 6,000,000 cells"):
        parse_table(workbook(fill), "t.xlsx")


def test_a_workbook_that_unpacks_too_large_is_refused() -> None:
    """A small archive may hold gigabytes."""

    def fill(book: openpyxl.Workbook) -> None:
        sheet = book.active
        assert sheet is not None
        for _ in range(3_000):
            sheet.append(["Acme", 1])

    data = workbook(fill)
    with pytest.raises(InputError, match=f"the workbook unpacks to more than {10 * len(data):,} bytes"):
        parse_table(data, "t.xlsx", limits=Limits(bytes=len(data)))
