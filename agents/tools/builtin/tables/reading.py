"""Reads any table from a file into a grid: the one door from bytes to cells."""

from dataclasses import dataclass
from pathlib import Path

from agents.tools.builtin.tables.dialect import cut, find_dialect
from agents.tools.builtin.tables.encoding import decode
from agents.tools.builtin.tables.grid import Grid, Source
from agents.tools.builtin.tables.structure import arrange
from agents.tools.builtin.tables.workbook import is_workbook, read_sheet
from orchestrator.errors import InputError


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a table may be; beyond it, reading would not fit into a tool's memory."""

    bytes: int = 64_000_000
    cells: int = 6_000_000


def read_table(path: Path, *, name: str = "", limits: Limits | None = None, sheet: str | None = None) -> Grid:
    """Read the table in a file; `name` is what people call it (default: the file's name). Raises InputError."""
    where = name or path.name
    limits = limits or Limits()
    try:
        if path.is_dir():
            raise InputError("this is a folder, not a file", where=where, mend="Name the file inside it.")
        size = path.stat().st_size
        if size > limits.bytes:
            raise _too_large(where, limits)
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=where, mend="Check the path.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"the file cannot be read ({reason})", where=where, mend="Check its permissions.") from error
    return parse_table(data, where, limits=limits, sheet=sheet)


def parse_table(data: bytes, name: str, *, limits: Limits | None = None, sheet: str | None = None) -> Grid:
    """Read the table in a file's bytes. Raises InputError, and nothing else, for any bytes."""
    limits = limits or Limits()
    if len(data) > limits.bytes:
        raise _too_large(name, limits)
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise InputError("the file is empty", where=name, mend="Give a table with a header and rows.")
    if is_workbook(data):
        return _from_workbook(data, name, limits, sheet)
    if sheet is not None:
        raise InputError(f"a text file has no sheet `{sheet}`", where=name)
    decoded = decode(data, name)
    if not decoded.text.strip():
        raise InputError("the file is empty", where=name, mend="Give a table with a header and rows.")
    dialect = find_dialect(decoded.text, name)
    records = cut(decoded.text, dialect, name)
    if sum(len(record.cells) for record in records) > limits.cells:
        raise _too_large(name, limits)
    source = Source(decoded.encoding, dialect.delimiter, dialect.quote, dialect.escape)
    return _noted(arrange(records, source, name), decoded.assumptions)


def _from_workbook(data: bytes, name: str, limits: Limits, wanted: str | None) -> Grid:
    sheet = read_sheet(data, name, max_bytes=limits.bytes, max_cells=limits.cells, sheet=wanted)
    return _noted(arrange(sheet.records, Source(sheet=sheet.name), name), sheet.assumptions)


def _noted(grid: Grid, assumptions: tuple[str, ...]) -> Grid:
    return Grid(
        name=grid.name,
        header=grid.header,
        header_line=grid.header_line,
        rows=grid.rows,
        lines=grid.lines,
        source=grid.source,
        skipped=grid.skipped,
        assumptions=(*assumptions, *grid.assumptions),
    )


def _too_large(name: str, limits: Limits) -> InputError:
    return InputError(
        f"the table is larger than {limits.bytes // 1_000_000} MB or {limits.cells:,} cells",
        where=name,
        mend="Split it, or leave out columns.",
    )
