"""Finds the header row of a table: the row of names above columns whose cells are of one kind."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agents.tools.builtin.tables.cells import Kind, kind_of, kinds_of
from agents.tools.builtin.tables.grid import Record
from agents.tools.builtin.tables.vocabulary import is_known_header

_SEARCHED = 80
_SAMPLE = 300


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the names stand and of what kind the columns below are; `header` is None when there are no names."""

    header: int | None
    width: int
    kinds: tuple[Kind, ...]
    """`number`, `date` or `text` per column; empty where all cells are blank."""


def find_layout(records: Sequence[Record]) -> Layout:
    """Find the header among the first rows (none of them blank)."""
    sample = _sample(records)
    width = _usual_width(records, sample)
    columns = _column_kinds(sample, width)
    first = [kinds_of(_padded(record.cells, width)) for record in records[: _SEARCHED + 3]]
    scores = [
        (_header_score(record.cells, width, columns) + _above_rows(first[place + 1 : place + 4], columns), -place)
        for place, record in enumerate(records[:_SEARCHED])
    ]
    best, place = max(scores, default=(0.0, 0))
    if best <= 0 and not _is_all_text(first[0], columns):
        return Layout(None, width, columns)
    place = 0 if best <= 0 else place
    below = _sample(records[1 - place :])
    return Layout(-place, width, _column_kinds(below, width) if below else columns)


def _is_all_text(first: Sequence[Kind], columns: Sequence[Kind]) -> bool:
    """Where nothing is a figure or a date, the first row is taken as the header, as people write tables."""
    typed = {"number", "date"}
    return typed.isdisjoint(columns) and typed.isdisjoint(first)


def _column_kinds(sample: Sequence[Record], width: int) -> tuple[Kind, ...]:
    rows = [kinds_of(_padded(record.cells, width)) for record in sample]
    return tuple(_column_kind([row[place] for row in rows]) for place in range(width))


def _sample(records: Sequence[Record]) -> list[Record]:
    """Rows from all over the table; the very first ones may be a preamble."""
    step = max(1, len(records) // _SAMPLE)
    return list(records[::step])


def _usual_width(records: Sequence[Record], sample: Sequence[Record]) -> int:
    """The width most rows have, or that of the names above them where rows leave empty cells out at their end."""
    used = [_used(record.cells) for record in sample]
    raw = Counter(len(record.cells) for record in sample)
    # Weighed by cells: a long preamble of narrow lines must not outvote a short table.
    usual = max(raw, key=lambda size: (raw[size] * size, size))
    named = max((_used(record.cells) for record in records[:_SEARCHED] if _reads_like_names(record.cells)), default=0)
    return max(min(usual, max(used)), named)


def _reads_like_names(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return len(filled) >= 2 and all(kind_of(cell) == "text" and is_known_header(cell) for cell in filled)


def _used(cells: Sequence[str]) -> int:
    return max((place + 1 for place, cell in enumerate(cells) if cell.strip()), default=0)


def _padded(cells: Sequence[str], width: int) -> tuple[str, ...]:
    return (*cells[:width], *[""] * (width - len(cells)))


def _column_kind(kinds: Sequence[Kind]) -> Kind:
    filled = Counter(kind for kind in kinds if kind)
    if not filled:
        return ""
    typed = {kind: filled[kind] for kind in ("number", "date") if filled[kind]}
    for kind, count in sorted(typed.items(), key=lambda item: -item[1]):
        # A header, a preamble and a total row are in the sample too: short tables need a low bar.
        if count * 2 > filled.total() - 1:
            return "number" if kind == "number" else "date"
    return "text"


def _header_score(cells: Sequence[str], width: int, columns: Sequence[Kind]) -> float:
    """Above 0 when the row names columns: text over numbers and dates, known words, nothing twice."""
    if _used(cells) > width:
        return -1.0
    cells = _padded(cells, width)
    kinds = kinds_of(cells)
    score = 0.0
    for cell, kind, column in zip(cells, kinds, columns, strict=True):
        if column in ("number", "date"):
            score += {"text": 1.0, "": -0.5}.get(kind, -2.0)
        elif kind in ("number", "date"):
            score -= 1.0
        if kind == "text":
            score += 1.0 if is_known_header(cell) else 0.0
    names = [cell.strip().casefold() for cell in cells if cell.strip()]
    score -= 0.5 * (len(names) - len(set(names)))
    if len(names) * 2 < len(cells):
        score -= 0.5 * (len(cells) - len(names))
    return score if len(names) >= 2 or len(cells) == 1 else -1.0


def _above_rows(below: Sequence[Sequence[Kind]], columns: Sequence[Kind]) -> float:
    """The header stands right above a row of figures; the lines of a preamble above it do not."""
    typed = [place for place, column in enumerate(columns) if column in ("number", "date")]
    hits = [sum(1 for place in typed if kinds[place] == columns[place]) for kinds in below]
    return 1.5 * sum(1 for hit in hits if hit and hit * 2 >= len(typed)) / max(1, len(hits))
