"""Gives every column of a grid its kind and its one spelling of numbers or dates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Literal

from agents.tools.builtin.tables.dates import DateFormat, DateHints, Order, date_format
from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.numbers import NumberFormat, is_blank, number_format
from agents.tools.builtin.tables.vocabulary import named_as

ColumnKind = Literal["number", "date", "text", "empty"]


@dataclass(frozen=True)
class Column:
    """A column with its cells as written; `numbers` or `dates` reads them where `kind` says so."""

    name: str
    cells: tuple[str, ...]
    kind: ColumnKind
    numbers: NumberFormat | None = None
    dates: DateFormat | None = None

    def values(self) -> tuple[Decimal | None, ...]:
        """The cells as exact numbers; None where a cell is blank or unreadable."""
        return self._values

    def days(self) -> tuple[date | None, ...]:
        """The cells as dates; None where a cell is blank or unreadable."""
        return self._days

    @cached_property
    def _values(self) -> tuple[Decimal | None, ...]:
        return tuple(self.numbers.read(cell) if self.numbers else None for cell in self.cells)

    @cached_property
    def _days(self) -> tuple[date | None, ...]:
        return tuple(self.dates.read(cell) if self.dates else None for cell in self.cells)

    @property
    def assumption(self) -> str:
        """What had to be assumed to read the column; empty when nothing had to be."""
        said = (self.numbers.assumption if self.numbers else "") or (self.dates.assumption if self.dates else "")
        return f"Column `{self.name}`: {said}." if said else ""


def typed_columns(grid: Grid) -> tuple[Column, ...]:
    """Type all columns; what one column leaves open is decided by its neighbours."""
    first = [_typed(name, grid.column(name), grid.source.decimal, DateHints()) for name in grid.header]
    order, decimal = _settled_order(first), grid.source.decimal or _settled_decimal(first)
    return tuple(_settled(column, order, decimal) for column in first)


def with_dates_near(columns: Sequence[Column], near: tuple[date, date] | None) -> tuple[Column, ...]:
    """The columns again, with dates that can be read in two ways settled by the time another table covers."""
    if near is None:
        return tuple(columns)
    order = _settled_order(columns)
    return tuple(
        replace(column, dates=date_format(column.cells, DateHints(order, near)) or column.dates)
        if column.dates and not column.dates.sure
        else column
        for column in columns
    )


def _typed(name: str, cells: tuple[str, ...], decimal: str, hints: DateHints) -> Column:
    if all(is_blank(cell) for cell in cells):
        return Column(name, cells, "empty")
    named_date = max(named_as(name, "date"), named_as(name, "other date")) > 0
    dates = date_format(cells, replace(hints, serial=named_date))
    if dates is not None:
        return Column(name, cells, "date", dates=dates)
    numbers = number_format(cells, decimal)
    if numbers is not None and not _are_codes(cells):
        return Column(name, cells, "number", numbers=numbers)
    return Column(name, cells, "text")


def _are_codes(cells: Sequence[str]) -> bool:
    """Digits with leading zeros (`000731`) name something; as numbers they would lose them."""
    filled = [cell for cell in cells if not is_blank(cell)]
    zeros = [cell for cell in filled if len(cell) > 1 and cell.isdigit() and cell.startswith("0")]
    return len(zeros) * 10 > len(filled) and all(cell.isdigit() for cell in filled)


def _settled_order(columns: Sequence[Column]) -> Order | None:
    sure: list[Order] = [column.dates.order for column in columns if column.dates and column.dates.sure]
    return sure[0] if len(set(sure)) == 1 else None


def _settled_decimal(columns: Sequence[Column]) -> str:
    sure = {
        column.numbers.decimal
        for column in columns
        if column.numbers and not column.numbers.assumption and (column.numbers.proven or column.numbers.grouped)
    }
    return sure.pop() if len(sure) == 1 else ""


def _settled(column: Column, order: Order | None, decimal: str) -> Column:
    if column.dates and not column.dates.sure and order:
        return replace(column, dates=date_format(column.cells, DateHints(order)) or column.dates)
    if column.numbers and column.numbers.assumption and decimal:
        return replace(column, numbers=number_format(column.cells, decimal) or column.numbers)
    return column
