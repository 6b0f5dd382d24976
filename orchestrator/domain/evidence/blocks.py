"""Parts a Markdown text into its headings, paragraphs, list items, table rows and lines of code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

BlockKind = Literal["heading", "text", "item", "header", "row", "code"]

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(?P<ordinal>(?:\d+(?:\.\d+)*[.):]?|\d+、)(?=\s))?")
_ITEM = re.compile(r"[\s>]*(?:[-*+]|(?P<ordinal>\d{1,9}[.)]))(?:\s|$)")
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text that is read as one. `level` is a heading's level or an item's indent; rows of one table, lines
    of one fence and items of one list share a `group`."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    group: int = 0
    cells: tuple[tuple[int, int], ...] = ()
    ordinal: tuple[int, int] | None = None


@dataclass(slots=True)
class _Reading:
    blocks: list[Block] = field(default_factory=list[Block])
    fence: str = ""
    group: int = 0
    open: bool = False
    """True: the next plain line goes on with the last block."""
    blank: bool = True


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text in order; lines that only rule or fence belong to none."""
    lines = list(_lines(text))
    state = _Reading()
    for number, (start, end) in enumerate(lines):
        following = text[slice(*lines[number + 1])] if number + 1 < len(lines) else ""
        _take(state, text[start:end], start, end, following)
    return tuple(state.blocks)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line.rstrip("\r"))
        start += len(line) + 1


def _take(state: _Reading, line: str, start: int, end: int, following: str) -> None:
    fence = _FENCE.match(line)
    if state.fence or fence:
        _fenced(state, fence[1] if fence else "", line, start, end)
    elif not line.strip():
        state.open, state.blank = False, True
    elif heading := _HEADING.match(line):
        span = heading.span("ordinal") if heading["ordinal"] else None
        ordinal = (start + span[0], start + span[1]) if span else None
        _add(state, Block("heading", start, end, level=len(heading[1]), ordinal=ordinal))
    elif "|" in line and _tabular(state, line, following):
        _row(state, line, start, end, following)
    elif item := _ITEM.match(line):
        _item(state, item, line, start, end)
    elif state.open:
        state.blocks[-1] = replace(state.blocks[-1], end=end)
    elif not _is_rule(line):
        _add(state, Block("text", start, end))
        state.open = True


def _add(state: _Reading, block: Block) -> None:
    state.blocks.append(block)
    state.open = state.blank = False


def _fenced(state: _Reading, fence: str, line: str, start: int, end: int) -> None:
    if not state.fence:
        state.fence = fence
        state.group += 1
    elif fence.startswith(state.fence):
        state.fence = ""
    elif line.strip():
        _add(state, Block("code", start, end, group=state.group))
    state.open = False


def _tabular(state: _Reading, line: str, following: str) -> bool:
    inside = _goes_on(state)
    return inside or line.lstrip().startswith("|") or ("|" in following and _is_rule(following))


def _goes_on(state: _Reading) -> bool:
    return bool(state.blocks) and state.blocks[-1].kind in ("header", "row") and not state.blank


def _row(state: _Reading, line: str, start: int, end: int, following: str) -> None:
    if _is_rule(line):
        return
    inside = _goes_on(state)
    if not inside:
        state.group += 1
    header = not inside and _is_rule(following)
    cells = tuple(_cells(line, start))
    _add(state, Block("header" if header else "row", start, end, group=state.group, cells=cells))


def _is_rule(line: str) -> bool:
    return "-" in line and not line.strip("|:- \t")


def _cells(line: str, start: int) -> Iterator[tuple[int, int]]:
    bars = [match.start() for match in _PIPE.finditer(line)]
    edges = bars if line.lstrip().startswith("|") else [-1, *bars]
    if not line.rstrip().endswith("|") or not bars:
        edges = [*edges, len(line)]
    for left, right in pairwise(edges):
        yield start + left + 1, start + right


def _item(state: _Reading, item: re.Match[str], line: str, start: int, end: int) -> None:
    last = state.blocks[-1] if state.blocks else None
    if last is None or last.kind != "item":
        state.group += 1
    ordinal = (start + item.start("ordinal"), start + item.end("ordinal")) if item["ordinal"] else None
    level = len(line) - len(line.lstrip())
    _add(state, Block("item", start, end, level=level, group=state.group, ordinal=ordinal))
    state.open = True
