"""Decides with which delimiter and quote a text is a table, by which of them the rows come out alike."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from agents.tools.builtin.tables.calendar_words import dissect
from agents.tools.builtin.tables.grid import Record
from agents.tools.builtin.tables.numbers import is_blank, spell
from orchestrator.errors import InputError

_DELIMITERS = (",", ";", "\t", "|", "^", "~", "\x1f")
_SAMPLE_CHARACTERS = 200_000
_SAMPLE_RECORDS = 400
_LARGEST_FIELD = 131_072  # what the csv module takes without a change that holds for the whole process
_CODE = re.compile(r"[A-Za-z]{0,6}[-_/ ]?\d[\w\-/]*")
_DECLARED = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text is cut into cells; an empty quote means that quotes are ordinary characters."""

    delimiter: str
    quote: str = '"'
    escape: str = ""
    spaced: bool = False
    """True when a blank follows each delimiter, also before a quote (`a, "b"`)."""


def find_dialect(text: str, where: str) -> Dialect:
    """The dialect in which the text is a table. Raises InputError when no delimiter gives two columns."""
    sample = text[:_SAMPLE_CHARACTERS]
    declared = _DECLARED.match(sample)
    delimiters = (declared[1],) if declared else tuple(sign for sign in _DELIMITERS if sign in sample)
    best: tuple[float, Dialect] | None = None
    for delimiter in delimiters:
        for dialect in _quotings(delimiter, sample):
            score = _score(sample, dialect, whole=len(sample) == len(text))
            if score > 0 and (best is None or score > best[0] + 1e-9):
                best = (score, dialect)
    if best is None:
        raise InputError(
            "the file has only one column: no delimiter (comma, semicolon, tab, bar) cuts its lines into cells",
            where=where,
            mend="Export it with at least two columns.",
        )
    return best[1]


def _quotings(delimiter: str, sample: str) -> list[Dialect]:
    found = [Dialect(delimiter, '"', spaced=f'{delimiter} "' in sample)]
    if '"' in sample:
        if '\\"' in sample:
            found.append(Dialect(delimiter, '"', "\\"))
        found.append(Dialect(delimiter, ""))
    edge = re.escape(delimiter)
    opened = len(re.findall(rf"(?:^|{edge})'", sample, re.MULTILINE))
    closed = len(re.findall(rf"'(?:$|\r|{edge})", sample, re.MULTILINE))
    if opened >= 2 and abs(opened - closed) * 10 <= opened:
        found.append(Dialect(delimiter, "'"))
    return found


def _score(sample: str, dialect: Dialect, *, whole: bool) -> float:
    """How alike the rows come out: their widths, and how many cells are a number, a date or a code."""
    try:
        rows = [row.cells for row in _read(io.StringIO(sample, newline=""), dialect, _SAMPLE_RECORDS)]
    except csv.Error:
        return 0.0
    if not whole and len(rows) > 1 and len(rows) < _SAMPLE_RECORDS:
        rows.pop()  # the sample may end inside a row
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    widths = Counter(len(row) for row in rows)
    width = max(widths, key=lambda size: (widths[size] * (size > 1), size), default=0)
    if width < 2:
        return 0.0
    alike = [row for row in rows if len(row) == width]
    cells = [cell for row in alike for cell in row]
    known = sum(1 for cell in cells if _is_known_kind(cell)) / len(cells)
    stray = sum(1 for cell in cells if _looks_cut(cell, dialect)) / len(cells)
    return len(alike) / len(rows) * (width - 1) / width * (0.1 + known) * (1 - stray)


def _is_known_kind(cell: str) -> bool:
    text = cell.strip()
    if is_blank(text):
        return len(text) == 0
    return spell(text) is not None or dissect(text) is not None or bool(_CODE.fullmatch(text))


def _looks_cut(cell: str, dialect: Dialect) -> bool:
    """True for a cell that holds half a quotation, several lines of the file, or other delimiters."""
    foreign = "\t" in cell or "|" in cell or cell.count(";") > 1
    if cell.count("\n") > 3 or (foreign and dialect.delimiter not in cell):
        return True
    return not dialect.quote and (cell.startswith('"') or cell.endswith('"'))


def cut(text: str, dialect: Dialect, where: str) -> list[Record]:
    """Cut a text into records. Raises InputError when a cell is larger than any cell of a table."""
    declared = _DECLARED.match(text)
    skip = declared.end() if declared else 0
    try:
        return list(_read(io.StringIO(text[skip:], newline=""), dialect, None, 1 if declared else 0))
    except csv.Error as error:
        raise InputError(
            f"a cell has more than {_LARGEST_FIELD:,} characters, or the rows cannot be told apart ({error})",
            where=where,
            mend="Look for a quote that is opened and never closed.",
        ) from error


def _read(lines: Iterable[str], dialect: Dialect, most: int | None, before: int = 0) -> Iterable[Record]:
    reader = csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape or None,
        doublequote=not dialect.escape,
        skipinitialspace=dialect.spaced,
    )
    line = before + 1
    for count, cells in enumerate(reader):
        if most is not None and count >= most:
            return
        yield Record(line, tuple(cells))
        line = before + reader.line_num + 1
