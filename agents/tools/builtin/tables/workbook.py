"""Reads the sheet with data of a workbook (xlsx, xlsb, xls, ods) as records of text cells."""

import io
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from agents.tools.builtin.tables.grid import Record
from agents.tools.builtin.tables.workbook_currency import currency_marks
from orchestrator.errors import InputError

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_CELL = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"')
_UNCALCULATED = re.compile(rb"<f[^>]*>[^<]*</f>(?:<v\s*/>|<v></v>)?</c>")
_MEND = "Open it in a spreadsheet program and save it again as XLSX or CSV."

Cell = int | float | str | bool | time | date | datetime | timedelta


@dataclass(frozen=True, slots=True)
class _Table:
    """The cells of one sheet as stored, and where they begin (from 1)."""

    name: str
    visible: bool
    row: int
    column: int
    rows: Sequence[Sequence[Cell]]

    @property
    def filled(self) -> int:
        return sum(1 for row in self.rows for cell in row if cell != "")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The records of one sheet, and what was assumed in choosing and reading it."""

    name: str
    records: tuple[Record, ...]
    assumptions: tuple[str, ...]


def is_workbook(data: bytes) -> bool:
    """True when the bytes begin as every workbook does (a zip archive or an OLE file)."""
    return data.startswith((_ZIP, _OLE))


def read_sheet(data: bytes, where: str, *, max_bytes: int, max_cells: int, sheet: str | None = None) -> Sheet:
    """Read one sheet: the named one, or the first visible one with a table. Raises InputError."""
    if data.startswith(_OLE) and _ENCRYPTED in data:
        raise InputError("the workbook is protected by a password", where=where, mend="Save it without a password.")
    notes = _check_archive(data, where, max_bytes, max_cells) if data.startswith(_ZIP) else ()
    try:
        tables = _tables(CalamineWorkbook.from_object(io.BytesIO(data)), max_cells)
        table, others = _chosen(tables, where, sheet)
        marks = currency_marks(data, table.name)
    except InputError:
        raise
    except PasswordError as error:
        raise InputError("the workbook is protected by a password", where=where, mend="Save it without one.") from error
    except BaseException as error:
        # Readers of workbooks fail in many ways; a panic of Rust code is not even an Exception. All mean one thing.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise InputError("the file is no workbook, or a damaged one", where=where, mend=_MEND) from error
    said = (f"The sheet `{table.name}` was read; {', '.join(others)} too hold data.",) if others else ()
    return Sheet(table.name, _records(table, marks), (*notes, *said))


def _check_archive(data: bytes, where: str, max_bytes: int, max_cells: int) -> tuple[str, ...]:
    """Refuse what would not fit into memory, before it is unpacked; count formulas without a stored result."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > 10 * max_bytes:
                raise InputError(f"the workbook unpacks to more than {10 * max_bytes:,} bytes", where=where)
            sheets = [member for member in members if member.filename.startswith("xl/worksheets/sheet")]
            texts = [archive.read(member) for member in sheets if member.filename.endswith(".xml")]
    except InputError:
        raise
    except Exception as error:
        # What a broken archive raises is not one family: BadZipFile, zlib.error, NotImplementedError, EOFError, …
        raise InputError("the file is no workbook, or a damaged one", where=where, mend=_MEND) from error
    if any(_area(text) > max_cells for text in texts):
        raise InputError(
            f"a sheet spans more than {max_cells:,} cells", where=where, mend="Delete stray far-off cells."
        )
    empty = sum(len(_UNCALCULATED.findall(text)) for text in texts)
    return (f"{empty} formulas have no stored result and are read as blank.",) if empty else ()


def _area(text: bytes) -> int:
    columns, rows = 0, 0
    for letters, row in _CELL.findall(text):
        number = 0
        for letter in letters:
            number = number * 26 + letter - 64
        columns, rows = max(columns, number), max(rows, int(row))
    return columns * rows


def _tables(book: CalamineWorkbook, max_cells: int) -> list[_Table]:
    found: list[_Table] = []
    for meta in book.sheets_metadata:
        if meta.typ != SheetTypeEnum.WorkSheet:
            continue
        sheet = book.get_sheet_by_name(meta.name)
        if sheet.start is None or sheet.height * sheet.width > max_cells:
            continue
        row, column = sheet.start
        visible = meta.visible == SheetVisibleEnum.Visible
        found.append(_Table(meta.name, visible, row + 1, column + 1, sheet.to_python()))
    return found


def _chosen(tables: Sequence[_Table], where: str, wanted: str | None) -> tuple[_Table, list[str]]:
    """The sheet to read, and the names of others that hold data."""
    if wanted is not None:
        for table in tables:
            if table.name == wanted:
                return table, []
        names = ", ".join(f"`{table.name}`" for table in tables) or "no sheet with data"
        raise InputError(f"the workbook has no sheet `{wanted}`", where=where, mend=f"It has {names}.")
    sizes = [(table, table.filled) for table in tables if table.visible]
    largest = max((size for _, size in sizes), default=0)
    if not largest:
        raise InputError("the workbook has no visible sheet with data", where=where)
    # A cover sheet with a few lines stands before the table in many exports.
    chosen = next(table for table, size in sizes if size * 5 >= largest)
    return chosen, [f"`{table.name}`" for table, size in sizes if table is not chosen and size]


def _records(table: _Table, marks: Mapping[tuple[int, int], str]) -> tuple[Record, ...]:
    return tuple(
        Record(line, tuple(_text(cell, marks.get((line, place), "")) for place, cell in enumerate(row, table.column)))
        for line, row in enumerate(table.rows, table.row)
    )


def _text(cell: Cell, currency: str) -> str:
    """A stored value in one spelling. A spreadsheet keeps 15 digits of a number; what follows is binary noise."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, int | float):
        number = format(Decimal(format(cell, ".15g")), "f") if math.isfinite(cell) else ""
        return f"{number} {currency}" if currency and number else number
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    return cell if isinstance(cell, str) else str(cell)
