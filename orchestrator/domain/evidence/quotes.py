"""Finds what a text quotes, and whether the evidence says it in these words."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from orchestrator.domain.evidence.citations import Report
from orchestrator.domain.evidence.index import Index
from orchestrator.domain.evidence.typography import flat

FEWEST_WORDS = 4
"""Quotation marks around fewer words name something (`the "other" rows`) and are not checked."""

_PAIRS = ('""', "“”", "„“", "„”", "«»", "»«", "「」", "『』", "‘’", "＂＂")
_QUOTE = re.compile(
    "|".join(
        rf"{re.escape(left)}(?P<q{number}>[^{re.escape(left + right)}]{{8,2000}}?){re.escape(right)}"
        for number, (left, right) in enumerate(_PAIRS)
    )
)
_CITATION = re.compile(r"\[[^\[\]\n]*\bE\d+\.\d+[^\[\]\n]*\]", re.IGNORECASE)
_OMISSION = re.compile(r"\s*(?:\[?(?:…|\.\.\.)\]?)\s*")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}|[^\W_]+(?:['’-][^\W_]+)*")
_EDGES = " .,;:!?。，；"


class Quote(NamedTuple):
    """Words in quotation marks."""

    start: int
    end: int
    words: str


def quotes(report: Report) -> Iterator[Quote]:
    """The quotations of a report that are long enough to be checked; none reaches from one block into the next."""
    for block in report.blocks:
        if block.kind == "code":
            continue
        for start, end in block.cells or ((block.start, block.end),):
            for match in _QUOTE.finditer(report.text, start, end):
                words = _CITATION.sub("", next(group for group in match.groups() if group is not None))
                if len(_WORD.findall(words)) >= FEWEST_WORDS:
                    yield Quote(match.start(), match.end(), words)


def says(index: Index, words: str) -> bool:
    """True when the evidence has these very words in this order, whatever their case; `…` stands for words left out."""
    at = 0
    for part in _OMISSION.split(words):
        sought = flat(part).casefold().strip(_EDGES)
        at = index.words.find(sought, at)
        if at < 0:
            return False
        at += len(sought)
    return True
