"""Mends rows with more cells than the table has columns: a delimiter stood inside a cell that was not quoted."""

from collections.abc import Sequence

from agents.tools.builtin.tables.cells import Kind, kind_of
from agents.tools.builtin.tables.numbers import number_format, spell


def fitted(cells: Sequence[str], kinds: Sequence[Kind], delimiter: str) -> tuple[tuple[str, ...], bool]:
    """The row in the width of the table, and whether cells had to be joined or cut off to get there."""
    width = len(kinds)
    if len(cells) <= width:
        return (*cells, *[""] * (width - len(cells))), False
    if not any(cell.strip() for cell in cells[width:]):
        return tuple(cells[:width]), False
    joined = [_joined(cells, start, len(cells) - width, delimiter) for start in range(width)]
    scored = sorted(((_fit(row, kinds) + bonus, -place) for place, (row, bonus) in enumerate(joined)), reverse=True)
    return joined[-scored[0][1]][0], True


def _joined(cells: Sequence[str], start: int, more: int, delimiter: str) -> tuple[tuple[str, ...], float]:
    parts = cells[start : start + more + 1]
    glue = f"{delimiter} " if all(part.startswith(" ") for part in parts[1:]) else delimiter
    whole = glue.join(part.strip() for part in parts)
    # `1,309.30` and `1309,30` without quotes: two numbers that together are one spelled well.
    one_number = all(spell(part) is not None for part in parts) and number_format((whole,)) is not None
    return (*cells[:start], whole, *cells[start + more + 1 :]), 0.5 if one_number else 0.0


def _fit(cells: Sequence[str], kinds: Sequence[Kind]) -> float:
    score = 0.0
    for cell, kind in zip(cells, kinds, strict=True):
        own = kind_of(cell)
        if own and kind:
            score += 1.0 if own == kind else -1.0
    return score
