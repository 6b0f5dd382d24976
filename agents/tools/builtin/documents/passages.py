"""Cuts a document into passages: the pieces that are searched, read and cited, each under its headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agents.tools.builtin.documents.document import Document
from agents.tools.builtin.documents.scripts import weight

USUAL = 1_200
"""The weight at which a passage ends: about 200 English words, or 600 Chinese characters."""
_SMALL = 250
"""A section that is smaller shares its passage with the next."""
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])\s*|\n")
_TABLE_RULE = re.compile(r"\|?\s*:?-{2,}.*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document; `number` counts from 1."""

    number: int
    text: str
    heading: str
    """The headings it stands under, from the outermost: `3 Fees › 3.2 Refunds`."""
    page: int | None


def passages(document: Document) -> tuple[Passage, ...]:
    """All passages, in order; together they are the whole text. A pure function."""
    packing = _Packing(marked_up=document.kind not in {"text", "pdf"})
    for page in document.pages:
        packing.turn(page.number)
        for block in _BLANK.split(page.text.strip("\n")):
            if block.strip():
                packing.take(block.rstrip())
    packing.flush()
    return tuple(packing.done)


@dataclass
class _Packing:
    """Puts blocks together until they weigh enough."""

    marked_up: bool
    done: list[Passage] = field(default_factory=list[Passage])
    _blocks: list[str] = field(default_factory=list[str])
    _weight: int = 0
    _heading: str = ""
    _page: int | None = None
    _levels: dict[int, str] = field(default_factory=dict[int, str])

    def turn(self, page: int | None) -> None:
        """A passage of a PDF lies on one page."""
        self.flush()
        self._page = page

    def take(self, block: str) -> None:
        """Add a block, which may be a heading, or too long for one passage."""
        heading = _HEADING.match(block.split("\n", 1)[0]) if self.marked_up else None
        if heading is not None:
            self._enter(len(heading[1]), heading[2])
        for piece in _pieces(block):
            heavy = weight(piece)
            if self._blocks and self._weight + heavy > USUAL:
                self.flush()
            if not self._blocks:
                self._heading = " › ".join(self._levels[level] for level in sorted(self._levels))
            self._blocks.append(piece)
            self._weight += heavy

    def flush(self) -> None:
        """End the passage."""
        if self._blocks:
            text = "\n\n".join(self._blocks)
            self.done.append(Passage(len(self.done) + 1, text, self._heading, self._page))
        self._blocks, self._weight = [], 0

    def _enter(self, level: int, name: str) -> None:
        if self._weight > _SMALL:
            self.flush()
        self._levels = {one: said for one, said in self._levels.items() if one < level}
        self._levels[level] = name


def _pieces(block: str) -> Iterator[str]:
    """The block, cut where it is too heavy: a table between its rows, a text between its sentences."""
    if weight(block) <= USUAL:
        yield block
        return
    lines = block.split("\n")
    if len(lines) > 2 and lines[0].startswith("|") and _TABLE_RULE.fullmatch(lines[1]):
        yield from _rows(lines[:2], lines[2:])
        return
    start = 0
    for end in _ends(block):
        piece = block[start:end].strip("\n ")
        if piece:
            yield piece
        start = end


def _rows(head: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    """Parts of a table, each under the table's head."""
    part: list[str] = []
    used = sum(map(weight, head))
    for row in rows:
        if part and used + weight(row) > USUAL:
            yield "\n".join((*head, *part))
            part, used = [], sum(map(weight, head))
        part.append(row)
        used += weight(row)
    if part:
        yield "\n".join((*head, *part))


def _ends(text: str) -> Iterator[int]:
    """Where pieces of a long text end: behind a sentence, or anywhere in one that is too long itself."""
    start = last = 0
    ends = [*(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    for end in ends:
        if weight(text[start:end]) > USUAL and last > start:
            yield last
            start = last
        while weight(text[start:end]) > USUAL:
            start += USUAL // 2
            yield start
        last = end
    yield len(text)
