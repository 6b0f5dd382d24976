"""Reads what the words around a figure say about it: about, in per cent, in thousands, a decrease."""

import re

from orchestrator.domain.evidence.citations import Report
from orchestrator.domain.evidence.currencies import POWERS, SCALE
from orchestrator.domain.evidence.figures import Figure
from orchestrator.domain.evidence.support import APPROXIMATE, DIRECTION, Wording

_SCALE = re.compile(SCALE)
_PERCENT = re.compile(r"%|\bpercent|\bper cent|\bprozent", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")
_PLACE_HEAD = re.compile(
    r"(?:\b(?:rows?|lines?|positions?|zeilen?|lignes?|filas?|righe|no|nr)\b|#|№|行号|行$)", re.IGNORECASE
)
_COUNT_HEAD = re.compile(r"\W*(?:rows|lines|zeilen|lignes|filas|righe|行数)\W*", re.IGNORECASE)
_REACH = 240


def wording(page: Report, figure: Figure) -> Wording:
    """What stands around a figure: its sentence, or its row and the head of its column."""
    head = column_head(page, figure.start)
    scale = _SCALE.search(head)
    return Wording(
        approximate=APPROXIMATE.search(page.folded, max(0, figure.start - 24), figure.start) is not None,
        direction=DIRECTION.search(f"{_around(page, figure)} {head}") is not None,
        percent=_PERCENT.search(head) is not None,
        scale=POWERS[scale[0].casefold()] if scale else 0,
    )


def column_head(page: Report, at: int) -> str:
    """The text of the head of the table column that a place stands in."""
    number = page.block(at)
    head = page.heads[number] if number is not None else None
    column = page.cell(at)
    if head is None or column is None or column >= len(page.blocks[head].cells):
        return ""
    return page.folded[slice(*page.blocks[head].cells[column])].strip()


def in_place_column(page: Report, at: int) -> bool:
    """True in a column of row numbers (`Row`, `Left rows`, `#`); one headed just `Rows` counts them."""
    head = column_head(page, at)
    return bool(_PLACE_HEAD.search(head)) and not _COUNT_HEAD.fullmatch(head)


def _around(page: Report, figure: Figure) -> str:
    number = page.block(figure.start)
    assert number is not None  # a figure is only looked at inside a block
    block = page.blocks[number]
    before = page.folded[max(block.start, figure.start - _REACH) : figure.start]
    after = page.folded[figure.end : min(block.end, figure.end + _REACH)]
    if block.kind in ("row", "header"):
        return before + after
    return _SENTENCE_END.split(before)[-1] + " " + _SENTENCE_END.split(after)[0]
