"""The words of reading a table: where the rows came from, what was left out, and the grid of raw cells that is left."""

from dataclasses import dataclass, field
from typing import Literal

SkipReason = Literal["preamble", "blank", "total", "repeated header", "units", "separator", "footer"]


@dataclass(frozen=True, slots=True)
class Record:
    """One row as it stands in the file; `line` is where it begins, counted from 1 as an editor or spreadsheet does."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """How the file was read: a text in an encoding and a dialect, or one sheet of a workbook."""

    encoding: str = ""
    delimiter: str = ""
    quote: str = ""
    escape: str = ""
    sheet: str = ""

    @property
    def decimal(self) -> str:
        """The decimal sign that numbers certainly have: a workbook stores numbers, not their spelling."""
        return "." if self.sheet else ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that is no data row, and why."""

    line: int
    reason: SkipReason
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of raw text cells: every row is as wide as the header; row numbers of results count `rows` from 1."""

    name: str
    header: tuple[str, ...]
    """Column names, unique and never empty."""
    header_line: int | None
    """The line of the header; None when the table has none and the names are ours."""
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    """For each data row the line where it begins in the file."""
    source: Source
    skipped: tuple[Skipped, ...] = ()
    assumptions: tuple[str, ...] = field(default=())

    def column(self, name: str) -> tuple[str, ...]:
        """The cells of one column, top to bottom."""
        place = self.header.index(name)
        return tuple(row[place] for row in self.rows)
