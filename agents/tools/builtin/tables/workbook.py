"""Reads the sheet with data of a workbook (xlsx, xlsb, xls, ods) as records of text cells."""

import io
import math
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from agents.tools.builtin.tables.grid import Record
from orchestrator.errors import InputError

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_CELL = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"')
_UNCALCULATED = re.compile(rb"<f[^>]*>[^<]*</f>(?:<v\s*/>|<v></v>)?</c>")
_MEND = "Open it in a spreadsheet program and save it again as XLSX or CSV."

Cell = int | float | str | bool | time | date | datetime | timedelta


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
    except PasswordError as error:
        raise InputError("the workbook is protected by a password", where=where, mend="Save it without one.") from error
    except (CalamineError, ValueError, OSError) as error:
        raise InputError("the file is no workbook, or a damaged one", where=where, mend=_MEND) from error
    except BaseException as error:
        # A panic of the reader's Rust code derives from BaseException; it is a damaged file to us.
        if type(error).__name__ != "PanicException":
            raise
        raise InputError("the workbook is damaged", where=where, mend=_MEND) from error
    return _chosen(tables, where, sheet, notes)


def _check_archive(data: bytes, where: str, max_bytes: int, max_cells: int) -> tuple[str, ...]:
    """Refuse what would not fit into memory, before it is unpacked; count formulas without a stored result."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > 10 * max_bytes:
                raise InputError(f"the workbook unpacks to more than {10 * max_bytes:,} bytes", where=where)
            sheets = [member for member in members if member.filename.startswith("xl/worksheets/sheet")]
            texts = [archive.read(member) for member in sheets if member.filename.endswith(".xml")]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
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


def _tables(book: CalamineWorkbook, max_cells: int) -> list[tuple[str, bool, tuple[Record, ...]]]:
    found: list[tuple[str, bool, tuple[Record, ...]]] = []
    for meta in book.sheets_metadata:
        if meta.typ != SheetTypeEnum.WorkSheet:
            continue
        sheet = book.get_sheet_by_name(meta.name)
        if sheet.start is None or sheet.height * sheet.width > max_cells:
            continue
        first = sheet.start[0] + 1
        rows: Sequence[Sequence[Cell]] = sheet.to_python()
        records = tuple(Record(first + place, tuple(_text(cell) for cell in row)) for place, row in enumerate(rows))
        found.append((meta.name, meta.visible == SheetVisibleEnum.Visible, records))
    return found


def _text(cell: Cell) -> str:
    """A stored value in one spelling. A spreadsheet keeps 15 digits of a number; what follows is binary noise."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, int | float):
        return format(Decimal(format(cell, ".15g")), "f") if math.isfinite(cell) else ""
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    return cell if isinstance(cell, str) else str(cell)


def _chosen(
    tables: Sequence[tuple[str, bool, tuple[Record, ...]]], where: str, wanted: str | None, notes: tuple[str, ...]
) -> Sheet:
    if wanted is not None:
        for name, _, records in tables:
            if name == wanted:
                return Sheet(name, records, notes)
        names = ", ".join(f"`{name}`" for name, _, _ in tables)
        raise InputError(f"the workbook has no sheet `{wanted}`", where=where, mend=f"It has {names or 'none'}.")
    sizes = [(name, records, _filled(records)) for name, visible, records in tables if visible]
    largest = max((size for _, _, size in sizes), default=0)
    if not largest:
        raise InputError("the workbook has no visible sheet with data", where=where)
    # A cover sheet with a few lines stands before the table in many exports.
    name, records, _ = next(one for one in sizes if one[2] * 5 >= largest)
    others = [f"`{other}`" for other, _, size in sizes if other != name and size]
    said = (f"The sheet `{name}` was read; {', '.join(others)} too hold data.",) if others else ()
    return Sheet(name, records, (*notes, *said))


def _filled(records: Sequence[Record]) -> int:
    return sum(1 for record in records for cell in record.cells if cell.strip())
