"""Tells what a single cell may be, before anything is known of its column."""

from collections.abc import Sequence
from typing import Literal

from agents.tools.builtin.tables.dates import is_date
from agents.tools.builtin.tables.numbers import is_blank, spell

Kind = Literal["", "number", "date", "text"]


def kind_of(cell: str) -> Kind:
    """Blank, a date, a number, or any other text; eight digits that are a day of the calendar count as a date."""
    if is_blank(cell):
        return ""
    if is_date(cell):
        return "date"
    return "number" if spell(cell) is not None else "text"


def kinds_of(cells: Sequence[str]) -> tuple[Kind, ...]:
    """The kinds of the cells of one row."""
    return tuple(kind_of(cell) for cell in cells)
