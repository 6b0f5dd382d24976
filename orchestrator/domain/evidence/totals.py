"""Checks that the total rows of a report's tables are the sums of the rows above them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice, product

from orchestrator.domain.evidence.citations import Report
from orchestrator.domain.evidence.currencies import CODES
from orchestrator.domain.evidence.figures import Figure

_CODE = rf"(?:{'|'.join(CODES)})"
_TOTAL = re.compile(
    rf"(?:grand\s)?(?:total|sum|summe|gesamt|insgesamt|gesamtsumme|somme|totale|suma|合计|总计|總計|合計|总额)"
    rf"[\s:：(]*(?P<code>{_CODE})?\)?[\s:]*|(?P<code2>{_CODE})\s(?:total|summe)",
    re.IGNORECASE,
)
_SUBTOTAL = re.compile(r"(?:sub-?\s?total|zwischensumme|sous-total|小计|小計)\b.*", re.IGNORECASE)
_NAMED_TOTAL = re.compile(r"total\s", re.IGNORECASE)
"""`Total of the left side` is a total of something, but of which rows is not said: it is not checked."""
_NOT_ADDED = re.compile(
    r"\b(?:average|avg|mean|median|rate|price|ratio|share|max\w*|min\w*|rank|no\.|nr\.|id|date|year|row|line|durchschnitt"
    r"|anteil|preis|kurs|zeile|datum|balance|saldo|cumulat\w*|running)\b|%|#|Ø|平均|比例|单价|行号|日期|余额",
    re.IGNORECASE,
)
_NAKED = re.compile(r"[*_`~]+")
_EMPTY = re.compile(r"[\s*_\-–—.]*|n/?a")
_MOST_COMBINATIONS = 256
_EXACT_DECIMALS = 2
_MOST_TOTALS = 200
"""Each total looks at all rows above it; no honest table has more of them."""


@dataclass(frozen=True, slots=True)
class Total:
    """A total and the figures above it that it may be the sum of: all of them, or those since the total before it."""

    result: Figure
    choices: tuple[tuple[Figure, ...], ...]

    def terms(self) -> Iterator[Figure]:
        """Every figure that has a part in it."""
        return (figure for choice in self.choices for figure in choice)

    def holds(self) -> bool:
        """True when some reading of the figures adds up."""
        wanted = {value.scaleb(self.result.scale) for value, _ in self.result.values()}
        return any(outcome in wanted for outcome in self.outcomes())

    def is_rounded(self) -> bool:
        """True when it misses by no more than the rounding of its terms makes; money to the cent is not rounded."""
        return any(
            self.result.readings[0].decimals < _EXACT_DECIMALS and abs(outcome - value) <= half * len(choice)
            for choice in self.choices
            for outcome in _sums(choice)
            for value, half in self.result.values()
        )

    def outcomes(self) -> Iterator[Decimal]:
        """What the terms add up to, for each way they can be read."""
        return (outcome for choice in self.choices for outcome in _sums(choice))


def _sums(terms: Sequence[Figure]) -> Iterator[Decimal]:
    fixed = Decimal(0)
    ambiguous: list[tuple[Decimal, ...]] = []
    for term in terms:
        amounts = tuple(dict.fromkeys(value.scaleb(term.scale) for value, _ in term.values()))
        if len(amounts) == 1:
            fixed += amounts[0]
        else:
            ambiguous.append(amounts)
    for chosen in islice(product(*ambiguous), _MOST_COMBINATIONS):
        yield fixed + sum(chosen, Decimal(0))


@dataclass(slots=True)
class _Row:
    label: str
    currency: str
    figures: Mapping[int, Figure]
    """The one figure of each cell that holds nothing else."""
    others: frozenset[int]
    """Cells that hold something else."""


@dataclass(slots=True)
class _Table:
    heads: Sequence[str]
    rows: list[_Row] = field(default_factory=list[_Row])


def totals(report: Report, figures: Sequence[Figure]) -> Iterator[Total]:
    """The totals of all tables of a report, each with its terms."""
    for table in _tables(report, figures):
        plain: list[_Row] = []
        since: list[_Row] = []
        summed: list[_Row] = []
        for row in table.rows:
            total = _TOTAL.fullmatch(row.label)
            if (total or _SUBTOTAL.fullmatch(row.label)) and len(summed) < _MOST_TOTALS:
                code = ((total and (total["code"] or total["code2"])) or row.currency).upper()
                yield from _totals(table, row, _choices(code, plain, since, summed))
            if total or _SUBTOTAL.fullmatch(row.label) or _NAMED_TOTAL.match(row.label):
                summed.append(row)
                since = []
            else:
                plain.append(row)
                since.append(row)


def _choices(code: str, plain: list[_Row], since: list[_Row], summed: list[_Row]) -> Sequence[Sequence[_Row]]:
    """The rows a total may be made of: all, those since the total before, that total and those since, the totals."""
    every: list[list[_Row]] = [plain, since, [*summed[-1:], *since], summed]
    if code and any(row.currency for row in plain):
        return [[row for row in rows if row.currency == code] for rows in every]
    return every


def _totals(table: _Table, total: _Row, choices: Sequence[Sequence[_Row]]) -> Iterator[Total]:
    for column, result in total.figures.items():
        head = table.heads[column] if column < len(table.heads) else ""
        if result.percent or _NOT_ADDED.search(head) or any(column in row.others for rows in choices for row in rows):
            continue
        terms = [tuple(row.figures[column] for row in rows if column in row.figures) for rows in choices]
        if any(terms):
            yield Total(result, tuple(dict.fromkeys(one for one in terms if one)))


def _tables(report: Report, figures: Sequence[Figure]) -> Iterator[_Table]:
    by_block: dict[int, list[Figure]] = {}
    for figure in figures:
        number = report.block(figure.start)
        if number is not None and report.blocks[number].kind in ("row", "header"):
            by_block.setdefault(number, []).append(figure)
    table: _Table | None = None
    group = 0
    added = frozenset(_added(report))
    for number, block in enumerate(report.blocks):
        if block.group not in added or block.kind not in ("row", "header"):
            continue
        if table is None or block.group != group:
            if table:
                yield table
            is_head = block.kind == "header"
            table, group = _Table([report.text[slice(*cell)] for cell in block.cells] if is_head else []), block.group
            if is_head:
                continue
        row = _row(report, block.cells, by_block.get(number, []))
        if not (row.figures and all(_is_year(figure) for figure in row.figures.values())):
            table.rows.append(row)
    if table:
        yield table


def _added(report: Report) -> Iterator[int]:
    """Which tables have a row of totals."""
    for block in report.blocks:
        label = _bare(report, *block.cells[0]) if block.kind == "row" and block.cells else ""
        if _TOTAL.fullmatch(label) or _SUBTOTAL.fullmatch(label):
            yield block.group


def _row(report: Report, cells: Sequence[tuple[int, int]], figures: Sequence[Figure]) -> _Row:
    held: dict[int, Figure] = {}
    others: set[int] = set()
    currency = ""
    for column, (start, end) in enumerate(cells):
        inside = [figure for figure in figures if start <= figure.start < end]
        text = _bare(report, start, end)
        code = re.search(rf"\b{_CODE}\b", text)
        currency = currency or (code[0] if code else "")
        if len(inside) == 1 and len(inside[0].run) >= sum(char.isdigit() for char in text):
            held[column] = inside[0]
        elif not _EMPTY.fullmatch(text):
            others.add(column)
    return _Row(_bare(report, *cells[0]) if cells else "", currency, held, frozenset(others))


def _is_year(figure: Figure) -> bool:
    """A row of years is a second head."""
    return figure.run.isdecimal() and len(figure.run) == 4 and figure.run[:2] in ("19", "20")


def _bare(report: Report, start: int, end: int) -> str:
    return _NAKED.sub("", re.sub(r"\[[^\[\]]*\]", "", report.folded[start:end])).strip()
