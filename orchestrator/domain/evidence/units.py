"""Parts a report into what is said of one thing: a row of a table, or a sentence."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.domain.evidence.citations import SENTENCE_END, Report
from orchestrator.domain.evidence.figures import Figure, Scan
from orchestrator.domain.evidence.index import solid
from orchestrator.domain.evidence.records import SMALL, Key, number_key, whole_key
from orchestrator.domain.evidence.wording import column_head

_ROW_HEAD = re.compile(r"\b(?:rows?|lines?|zeilen?|lignes?|filas?|righe)\b|行", re.IGNORECASE)
_CODE = re.compile(r"\d{3}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A row or a sentence: by what its record is known, and what it says."""

    start: int
    keys: frozenset[Key]
    figures: tuple[Figure, ...]


def units(page: Report, scan: Scan, figures: tuple[Figure, ...]) -> Iterator[Unit]:
    """The units of a report that say a figure, in order."""
    at = [figure.start for figure in figures]
    codes = [name for name in scan.names if name.kind == "code" and _CODE.search(name.written)]
    coded = [name.start for name in codes]
    for number, block in enumerate(page.blocks):
        if block.kind not in ("row", "text", "item"):
            continue
        for start, end in _spans(page, number):
            said = figures[bisect_left(at, start) : bisect_left(at, end)]
            if not said:
                continue
            keys: set[Key] = {
                ("code", solid(c.written)) for c in codes[bisect_left(coded, start) : bisect_left(coded, end)]
            }
            keys |= {key for cell in block.cells for key in whole_key(page.folded[slice(*cell)])}
            keys |= {key for figure in said for value, _ in figure.values() for key in number_key(value)}
            yield Unit(start, frozenset(keys), said)


def _spans(page: Report, number: int) -> Iterator[tuple[int, int]]:
    block = page.blocks[number]
    start = block.start
    if block.kind != "row":
        for match in SENTENCE_END.finditer(page.folded, block.start, block.end):
            yield start, match.end()
            start = match.end()
    yield start, block.end


def is_rank(page: Report, figure: Figure) -> bool:
    """True for a small whole number that no head calls a row: it may be a rank or a count of the report's own."""
    value = figure.readings[0]
    whole = value.decimals <= 0 and abs(value.value) < SMALL
    return whole and not _ROW_HEAD.search(column_head(page, figure.start))
