"""Describes a table as an agent has to know it: columns, kinds, spellings, figures, and what was assumed."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import islice

from pydantic import BaseModel, ConfigDict

from agents.tools.builtin.tables.columns import Column, ColumnKind, typed_columns
from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.numbers import is_blank

_EXAMPLES = 3


class ColumnProfile(BaseModel):
    """One column: `min`, `max` and `sum` are exact numbers, or ISO dates, written as text."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: ColumnKind
    format: str | None
    filled: int
    blanks: int
    unreadable: int
    distinct: int
    min: str | None
    max: str | None
    sum: str | None
    examples: tuple[str, ...]


class TableProfile(BaseModel):
    """A whole table; `skipped` counts the rows that are no data rows, by reason."""

    model_config = ConfigDict(frozen=True)

    name: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    encoding: str | None
    delimiter: str | None
    sheet: str | None
    header_line: int | None
    skipped: dict[str, int]
    assumptions: tuple[str, ...]


def profile(grid: Grid) -> TableProfile:
    """Profile a grid; a pure function of it."""
    return profile_of(grid, typed_columns(grid))


def profile_of(grid: Grid, columns: Sequence[Column]) -> TableProfile:
    """The profile of a grid whose columns are typed already."""
    source = grid.source
    said = tuple(column.assumption for column in columns if column.assumption)
    return TableProfile(
        name=grid.name,
        rows=len(grid.rows),
        columns=tuple(_column_profile(column) for column in columns),
        encoding=source.encoding or None,
        delimiter=source.delimiter or None,
        sheet=source.sheet or None,
        header_line=grid.header_line,
        skipped=dict(sorted(Counter(one.reason for one in grid.skipped).items())),
        assumptions=(*grid.assumptions, *said),
    )


def _column_profile(column: Column) -> ColumnProfile:
    filled = [cell for cell in column.cells if not is_blank(cell)]
    low, high, total, unreadable = _figures(column, len(filled))
    spelled = column.numbers or column.dates
    different = dict.fromkeys(filled)
    return ColumnProfile(
        name=column.name,
        kind=column.kind,
        format=str(spelled) if spelled else None,
        filled=len(filled),
        blanks=len(column.cells) - len(filled),
        unreadable=unreadable,
        distinct=len(different),
        min=low,
        max=high,
        sum=total,
        examples=tuple(islice(different, _EXAMPLES)),
    )


def _figures(column: Column, filled: int) -> tuple[str | None, str | None, str | None, int]:
    numbers = [value for value in column.values() if value is not None]
    if numbers:
        return _written(min(numbers)), _written(max(numbers)), _written(_sum(numbers)), filled - len(numbers)
    days = [day for day in column.days() if day is not None]
    if days:
        return min(days).isoformat(), max(days).isoformat(), None, filled - len(days)
    return None, None, None, 0


def _sum(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal(0))


def _written(value: Decimal) -> str:
    return format(value, "f")
