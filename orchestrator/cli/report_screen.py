"""A Markdown report on a terminal: what fits is drawn as Markdown, wide tables become one entry a row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

MOST_ROWS = 30
"""Rows of a wide table shown on a terminal; the file has them all."""
_RULE = re.compile(r"^\|(\s*:?-+:?\s*\|)+\s*$")


def shown(report: str, console: Console) -> Group:
    """The report as it is drawn at the console's width."""
    parts: list[RenderableType] = []
    for block in _blocks(report.splitlines()):
        if len(block) > 2 and _RULE.match(block[1]):
            parts.append(_table(block, console.width))
        elif text := "\n".join(block).strip("\n"):
            parts.append(Markdown(text))
    return Group(*parts)


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Tables by themselves, everything between them together."""
    block: list[str] = []
    for line in lines:
        in_table = bool(block) and block[0].startswith("|")
        if block and line.startswith("|") != in_table:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _cells(line: str) -> list[str]:
    inner = line.strip().strip("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def _table(block: Sequence[str], width: int) -> RenderableType:
    heads, rows = _cells(block[0]), [_cells(line) for line in block[2:]]
    right = [rule.endswith(":") for rule in _cells(block[1])]
    rows = [(row + [""] * len(heads))[: len(heads)] for row in rows]
    widths = [max(cell_len(_plain(row[n]).plain) for row in [heads, *rows]) for n in range(len(heads))]
    columns = [_Column(*one) for one in zip(range(len(heads)), heads, right, widths, strict=True)]
    if _width(columns) <= width - 2:
        return Padding(_drawn(columns, rows), (1, 0, 1, 2))
    longest = max(columns, key=lambda one: one.width)
    others = [one for one in columns if one is not longest]
    fits = _width(others) <= width - 2
    entries: list[RenderableType] = [_line(others, heads, "faint")] if fits else []
    for row in rows[:MOST_ROWS]:
        entries.append(_line(others, row) if fits else _labelled(others, row))
        entries.append(Padding(Text(_plain(row[longest.at]).plain, "italic faint"), (0, 0, 0, 4)))
    if len(rows) > MOST_ROWS:
        entries.append(Text(f"… and {len(rows) - MOST_ROWS} more in report.md", "faint"))
    return Padding(Group(*entries), (1, 0, 1, 2))


@dataclass(frozen=True, slots=True)
class _Column:
    at: int
    head: str
    right: bool
    width: int


def _width(columns: Sequence[_Column]) -> int:
    return sum(one.width + 2 for one in columns) - 2


def _drawn(columns: Sequence[_Column], rows: Sequence[Sequence[str]]) -> Group:
    heads = [one.head for one in columns]
    return Group(_line(columns, heads, "faint"), *(_line(columns, row) for row in rows))


def _line(columns: Sequence[_Column], row: Sequence[str], style: str = "") -> Text:
    """The cells of a row below those of the row before."""
    line = Text(style=style, no_wrap=True, overflow="crop")
    for one in columns:
        cell = _plain(row[one.at])
        gap = " " * (one.width - cell.cell_len)
        line.append("  " if line else "")
        line.append(gap if one.right else "").append(cell).append("" if one.right else gap)
    return line


def _labelled(columns: Sequence[_Column], row: Sequence[str]) -> Text:
    """The cells of a row that fits no line, each after its head."""
    line = Text()
    for one in columns:
        if row[one.at]:
            line.append("  " if line else "").append(f"{one.head.lower()} ", "faint").append(_plain(row[one.at]))
    return line


def _plain(cell: str) -> Text:
    bold = cell.startswith("**") and cell.endswith("**") and len(cell) > 4
    return Text(cell.strip("*") if bold else cell.replace("\\", ""), "strong" if bold else "")
