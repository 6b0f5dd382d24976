"""Makes a DuckDB table of a grid: exact numbers, dates, and the text as written where typing loses something."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from duckdb import DuckDBPyConnection

from agents.tools.builtin.tables.columns import Column, typed_columns
from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.numbers import currencies, is_blank

ROW = "_row"
"""The column that counts the rows from 1, as other tools do when they name a row."""
_WRITTEN = " (as written)"
_MOST_DIGITS = 38
_NARROW_DIGITS = 18
_BATCH = 20_000
_TIME_OF_DAY = re.compile(r"\d:\d\d")


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of the table: its cells as text that DuckDB reads exactly as `type`."""

    name: str
    type: str
    cells: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class TypedTable:
    """A grid, typed; `notes` say what was assumed and what could not be read."""

    columns: tuple[StoredColumn, ...]
    rows: int
    notes: tuple[str, ...]


def typed_table(grid: Grid) -> TypedTable:
    """Type all columns of a grid; a pure function of it."""
    return table_of(grid, typed_columns(grid))


def table_of(grid: Grid, columns: Sequence[Column]) -> TypedTable:
    """The table of a grid whose columns are typed already."""
    names = _Names()
    stored: list[StoredColumn] = []
    notes = list(grid.assumptions)
    for column in columns:
        name = names.new(column.name)
        typed, lost = _typed(column, name)
        stored.append(typed)
        if column.assumption:
            notes.append(column.assumption)
        if lost:
            twin = names.new(name + _WRITTEN)
            stored.append(StoredColumn(twin, "VARCHAR", [cell or None for cell in column.cells]))
            notes.append(f"Column `{name}`: {lost}; `{twin}` has the text.")
    if grid.skipped:
        reasons = ", ".join(sorted({one.reason for one in grid.skipped}))
        notes.append(f"{len(grid.skipped)} lines are no data rows and were left out ({reasons}).")
    return TypedTable(tuple(stored), len(grid.rows), tuple(notes))


def store(connection: DuckDBPyConnection, name: str, table: TypedTable) -> None:
    """Create the table in DuckDB."""
    definitions = [f"{quoted(ROW)} INTEGER", *(f"{quoted(one.name)} {one.type}" for one in table.columns)]
    connection.execute(f"CREATE TABLE {quoted(name)} ({', '.join(definitions)})")
    types = ["INTEGER", *(one.type for one in table.columns)]
    values = ", ".join(f"unnest(${place}::VARCHAR[])::{kind}" for place, kind in enumerate(types, 1))
    insert = f"INSERT INTO {quoted(name)} SELECT {values}"
    for first in range(0, table.rows, _BATCH):
        last = min(first + _BATCH, table.rows)
        numbers = [str(row + 1) for row in range(first, last)]
        connection.execute(insert, [numbers, *(list(one.cells[first:last]) for one in table.columns)])


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever stands in it."""
    return '"' + name.replace('"', '""').replace("\0", "") + '"'


class _Names:
    """Names that SQL can tell apart: it does not look at case, a line break is a space, and a zero sign is nothing."""

    def __init__(self) -> None:
        self._taken = {ROW}

    def new(self, wanted: str) -> str:
        plain = " ".join(wanted.replace("\0", "").split()) or "column"
        name, count = plain, 1
        while name.casefold() in self._taken:
            count += 1
            name = f"{plain}_{count}"
        self._taken.add(name.casefold())
        return name


def _typed(column: Column, name: str) -> tuple[StoredColumn, str]:
    """The column as it is stored, and what of its cells is lost by that."""
    if column.kind == "number":
        numbers = column.values()
        kind = _decimal_type([value for value in numbers if value is not None])
        if kind is not None:
            cells = [None if value is None else f"{value:f}" for value in numbers]
            return StoredColumn(name, kind, cells), _lost_of_numbers(column, cells)
    if column.kind == "date":
        days = [None if day is None else day.isoformat() for day in column.days()]
        return StoredColumn(name, "DATE", days), _lost_of_dates(column, days)
    return StoredColumn(name, "VARCHAR", [cell or None for cell in column.cells]), ""


def _decimal_type(values: Sequence[Decimal]) -> str | None:
    """A type that holds all values exactly; None when there is none."""
    scale = max((max(0, -_exponent(value)) for value in values), default=0)
    whole = max((max(1, value.adjusted() + 1) for value in values), default=1)
    if whole + scale > _MOST_DIGITS:
        return None
    # Products and sums of narrow decimals have room to grow.
    width = _NARROW_DIGITS if whole + scale <= _NARROW_DIGITS - 6 else _MOST_DIGITS
    return f"DECIMAL({width},{scale})"


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _lost_of_numbers(column: Column, cells: Sequence[str | None]) -> str:
    named = currencies(column.cells)
    if len(named) > 1:
        return f"its amounts are in several currencies ({', '.join(sorted(named))})"
    return _unread(column, cells, "numbers")


def _lost_of_dates(column: Column, cells: Sequence[str | None]) -> str:
    if any(_TIME_OF_DAY.search(cell) for cell in column.cells):
        return "its times of day are left out"
    return _unread(column, cells, "dates")


def _unread(column: Column, cells: Sequence[str | None], kind: str) -> str:
    unread = list(_unread_cells(column, cells))
    if not unread:
        return ""
    return f"{len(unread)} cells are no {kind} and NULL here, such as `{unread[0][:40]}`"


def _unread_cells(column: Column, cells: Sequence[str | None]) -> Iterator[str]:
    return (
        written for written, read in zip(column.cells, cells, strict=True) if read is None and not is_blank(written)
    )
