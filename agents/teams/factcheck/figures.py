"""Takes the figures out of a page's text, each with the sentence or the row of a table that it stands in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from orchestrator.domain.evidence.figures import Figure, scan

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+(?=[\"'(]?[A-Z\u4e00-\u9fff])")
_RULE = re.compile(r"\|[\s:|-]+\|?")
LONGEST = 400


@dataclass(frozen=True, slots=True)
class Found:
    """One figure of a page."""

    written: str
    value: Decimal
    percent: bool
    sentence: str
    """The sentence or the row, letter by letter as it stands on the page."""
    column: str = ""
    """Of a figure in a table: the head of its column."""
    row: str = ""
    """Of a figure in a table: the first cell of its row."""

    def words(self, about: Sequence[str]) -> int:
        """How many of these words stand around the figure."""
        around = f"{self.sentence} {self.column}".casefold()
        return sum(word.casefold() in around for word in about)


def figures_of(text: str) -> Iterator[Found]:
    """All figures of a text in their order."""
    head: list[str] | None = None
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped.startswith("|"):
            head = None
            yield from _of_prose(stripped)
        elif head is None:
            head = _cells(stripped)
        elif not _RULE.fullmatch(stripped):
            yield from _of_row(stripped, head)


def _of_prose(line: str) -> Iterator[Found]:
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(line)), len(line)]
    for start, end in pairwise(starts):
        sentence = line[start:end].strip()
        for figure in scan(sentence).figures:
            yield _found(figure, sentence, sentence)


def _of_row(line: str, head: Sequence[str]) -> Iterator[Found]:
    cells = _cells(line)
    for position, cell in enumerate(cells[1:], start=1):
        column = head[position] if position < len(head) else ""
        for figure in scan(cell).figures:
            yield _found(figure, cell, line, column, cells[0])


def _found(figure: Figure, text: str, sentence: str, column: str = "", row: str = "") -> Found:
    value, _ = next(figure.values())
    percent = figure.percent or "%" in column or "per cent" in column.casefold()
    return Found(text[figure.start : figure.end], value, percent, sentence[:LONGEST], column, row)


def _cells(line: str) -> list[str]:
    return [cell.strip(" *_") for cell in line.strip().strip("|").split("|")]


def agree(claimed: str, found: str) -> bool:
    """True when a source's figure is the claimed one, as it is rounded in the claim; a share may be in per cent."""
    (one,), (other,) = scan(claimed).figures, scan(found).figures
    for value, half in one.values():
        for theirs, _ in other.values():
            same = theirs.scaleb(other.scale - one.scale)
            options = [same]
            if one.percent and not other.percent:
                options.append(same.scaleb(2))
            elif other.percent and not one.percent:
                options.append(same.scaleb(-2))
            if any(abs(option - value) <= half for option in options):
                return True
    return False


def has_one_figure(text: str) -> bool:
    """True when the text is one figure, with its unit at most."""
    return len(scan(text).figures) == 1


def stands_in(figure: str, text: str) -> bool:
    """True when the text has this figure, written so and whole: `7.3` stands neither in `87.3` nor in `7.3 million`."""
    wanted = {_same(one) for one in scan(figure).figures}
    return figure in text and any(_same(one) in wanted for one in scan(text).figures)


def _same(figure: Figure) -> tuple[frozenset[Decimal], int]:
    """What two spellings of one figure have in common."""
    return frozenset(value for value, _ in figure.values()), figure.scale
