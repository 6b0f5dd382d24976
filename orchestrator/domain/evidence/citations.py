"""Says which citations govern which place of a report.

The nearest of these that there is governs a figure or a quote:

1. In a paragraph, a list item or a heading: the next citation after it; behind the last one, those before it in the
   same sentence. In a table row: all citations of the row.
2. In a table: the citation in its column's head; else those anywhere in the head. Then a source line directly below
   the table; then the caption, which is the paragraph directly above it. For the head itself, when there is nothing
   else, what its rows cite. In a list: the item it is indented under, or the paragraph directly above the list that
   ends in a colon. In a fence of code: the paragraph directly above it.
3. A source line (`Source: [E4.2]`, or nothing but citations) closes what stands above it, up to the heading or the
   source line before it.
4. The heading of its section; else of the section around that one.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from orchestrator.domain.evidence.blocks import Block, blocks
from orchestrator.domain.evidence.typography import fold

Refs = tuple[str, ...]

_NUMBER = re.compile(r"\bE\d+\.\d+\b(?!\.\d)", re.IGNORECASE)
_GROUP = re.compile(r"\[[^\[\]\n]{0,200}?\bE\d+\.\d+[^\[\]\n]{0,200}\]", re.IGNORECASE)
_JOINED = re.compile(r"[\s,;&]*(?:and|und)?\s*", re.IGNORECASE)
SENTENCE_END = re.compile(r"[.!?](?=\s+[^\sa-zß-ÿ])|;(?=\s)|[。！？；]")
"""A full stop before a small letter ends an abbreviation."""
_SOURCE = re.compile(r"[\W_]*(?:sources?|evidence|based on|quellen?|belege?|来源|出处|依据)?[\W_]*", re.IGNORECASE)
_COLON_END = re.compile(r":[\s*_]*$")


class Group(NamedTuple):
    """Citations that stand together: `[E4.2, E5.1]`, or `[E4.2][E5.1]`."""

    start: int
    end: int
    refs: Refs


@dataclass(frozen=True, slots=True)
class Report:
    """A report taken apart: its blocks, their citations, and what governs a block without any."""

    text: str
    folded: str
    blocks: tuple[Block, ...]
    groups: tuple[tuple[Group, ...], ...]
    """The citations of each block."""
    inherited: tuple[Refs, ...]
    heads: tuple[int | None, ...]
    """For each row of a table that has a head: which block that is."""
    lines: tuple[int, ...]
    """Where each line starts."""
    starts: tuple[int, ...]
    """Where each block starts."""

    def line(self, at: int) -> int:
        """The number of a place's line, from 1."""
        return bisect_right(self.lines, at)

    def block(self, at: int) -> int | None:
        """Which block a place stands in."""
        number = bisect_right(self.starts, at) - 1
        return number if number >= 0 and at < self.blocks[number].end else None

    def cell(self, at: int) -> int | None:
        """Which cell of its table row a place stands in."""
        number = self.block(at)
        cells = self.blocks[number].cells if number is not None else ()
        position = bisect_right(cells, at, key=lambda cell: cell[0]) - 1
        return position if position >= 0 and at <= cells[position][1] else None

    def governing(self, at: int) -> Refs:
        """The citations that govern a place; none: it is uncited."""
        number = self.block(at)
        if number is None:
            return ()
        groups = self.groups[number]
        if self.blocks[number].kind in ("row", "header"):
            return _all(groups) or self._column(number, at) or self.inherited[number] or self._rows(number)
        if following := next((group for group in groups if group.start >= at), None):
            return following.refs
        before = [group for group in groups if not SENTENCE_END.search(self.folded, group.end, at)]
        return _all(before) or self.inherited[number]

    def _column(self, number: int, at: int) -> Refs:
        head = self.heads[number]
        position = self.cell(at)
        if head is None or position is None or position >= len(self.blocks[head].cells):
            return ()
        start, end = self.blocks[head].cells[position]
        return _all([group for group in self.groups[head] if start <= group.start < end])

    def _rows(self, number: int) -> Refs:
        """What the rows below a table's head cite."""
        if self.blocks[number].kind != "header":
            return ()
        below = range(number + 1, len(self.blocks))
        rows = takewhile(lambda row: self.blocks[row].group == self.blocks[number].group, below)
        return tuple(dict.fromkeys(ref for row in rows for group in self.groups[row] for ref in group.refs))


def cited(text: str) -> Refs:
    """Every observation that a text cites in brackets, in the order of its first citation."""
    return tuple(dict.fromkeys(ref for group in _groups(fold(text)) for ref in group.refs))


def report(text: str) -> Report:
    """Take a report apart."""
    folded = fold(text)
    parts = blocks(text)
    found = list(_groups(folded))
    at = [group.start for group in found]
    groups = tuple(tuple(found[bisect_left(at, block.start) : bisect_left(at, block.end)]) for block in parts)
    lines = (0, *(match.end() for match in re.finditer("\n", text)))
    heads = tuple(_heads(parts))
    starts = tuple(block.start for block in parts)
    return Report(text, folded, parts, groups, _inherited(folded, parts, groups, heads), heads, lines, starts)


def _groups(folded: str) -> Iterator[Group]:
    """The citations of a text; those that only a comma or a space parts are one group."""
    last: Group | None = None
    for match in _GROUP.finditer(folded):
        refs = tuple(number.upper() for number in _NUMBER.findall(match[0]))
        if not refs:
            continue
        if last and "\n" not in folded[last.end : match.start()] and _JOINED.fullmatch(folded, last.end, match.start()):
            last = Group(last.start, match.end(), tuple(dict.fromkeys((*last.refs, *refs))))
            continue
        if last:
            yield last
        last = Group(match.start(), match.end(), tuple(dict.fromkeys(refs)))
    if last:
        yield last


def _all(groups: Sequence[Group]) -> Refs:
    return tuple(dict.fromkeys(ref for group in groups for ref in group.refs))


def _heads(parts: Sequence[Block]) -> Iterator[int | None]:
    head: int | None = None
    for number, block in enumerate(parts):
        if block.kind == "header":
            head = number
        elif block.kind != "row" or head is None or parts[head].group != block.group:
            head = None
        yield head if block.kind == "row" else None


def _inherited(
    folded: str, parts: Sequence[Block], groups: Sequence[Sequence[Group]], heads: Sequence[int | None]
) -> tuple[Refs, ...]:
    own = [_all(found) for found in groups]
    sources = [_is_source(folded, block, found) for block, found in zip(parts, groups, strict=True)]
    introduced = list(_introduced(folded, parts, own))
    below = _below(parts, own, sources)
    closing = _closing(parts, own, sources)
    given: list[Refs] = []
    headings: list[tuple[int, Refs]] = []
    for number, block in enumerate(parts):
        if block.kind == "heading":
            headings = [one for one in headings if one[0] < block.level]
        section = next((refs for _, refs in reversed(headings) if refs), ())
        head = heads[number]
        nearest = (own[head] if head is not None else ()) or below[number] or introduced[number]
        given.append(nearest or closing[number] or section)
        if block.kind == "heading":
            headings.append((block.level, own[number]))
    return tuple(given)


def _introduced(folded: str, parts: Sequence[Block], own: Sequence[Refs]) -> Iterator[Refs]:
    """What the caption or the introduction of each block cites."""
    above: Refs = ()
    """What stands above the table, list or fence in hand."""
    parents: list[tuple[int, Refs]] = []
    for number, block in enumerate(parts):
        before = parts[number - 1] if number else None
        if before is None or before.group != block.group or not block.group:
            parents = []
            above = own[number - 1] if before and _captions(folded, before, block) else ()
        parents = [one for one in parents if one[0] < block.level]
        yield next((refs for _, refs in reversed(parents) if refs), above)
        if block.kind == "item":
            parents.append((block.level, own[number]))


def _captions(folded: str, above: Block, block: Block) -> bool:
    """True when the block above a table, a list or a fence introduces it."""
    if block.kind in ("row", "header", "code") and above.kind == "text":
        return True
    return block.kind != "heading" and above.kind in ("text", "item") and _introduces(folded, above)


def _introduces(folded: str, block: Block) -> bool:
    return bool(_COLON_END.search(_GROUP.sub("", folded[block.start : block.end]).rstrip()))


def _below(parts: Sequence[Block], own: Sequence[Refs], sources: Sequence[bool]) -> Sequence[Refs]:
    """For each row of a table the citations of the source line directly below the table."""
    below: list[Refs] = [()] * len(parts)
    for number in range(len(parts) - 2, -1, -1):
        after = parts[number + 1]
        if parts[number].kind in ("row", "header", "code"):
            same = after.group == parts[number].group
            below[number] = below[number + 1] if same else own[number + 1] if sources[number + 1] else ()
    return below


def _closing(parts: Sequence[Block], own: Sequence[Refs], sources: Sequence[bool]) -> Sequence[Refs]:
    """For each block the citations of the source line that closes it."""
    closing: list[Refs] = [()] * len(parts)
    refs: Refs = ()
    for number in range(len(parts) - 1, -1, -1):
        if sources[number]:
            refs = own[number]
        elif parts[number].kind == "heading":
            refs = ()
        closing[number] = refs
    return closing


def _is_source(folded: str, block: Block, groups: Sequence[Group]) -> bool:
    if block.kind != "text" or not groups:
        return False
    rest = folded[block.start : block.end]
    for group in reversed(groups):
        rest = rest[: group.start - block.start] + rest[group.end - block.start :]
    return _SOURCE.fullmatch(rest) is not None
