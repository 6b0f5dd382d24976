"""Tells total and balance rows from data rows: by their label, or because they are the sum of the rows above."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from agents.tools.builtin.tables.cells import Kind, kind_of
from agents.tools.builtin.tables.currencies import currency_of
from agents.tools.builtin.tables.numbers import NumberFormat, is_blank, number_format
from agents.tools.builtin.tables.vocabulary import is_balance_label, is_exact_balance_label, is_total_label

_FEWEST_SUMMED = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a row is a total; the note says when a total is not the sum of its rows."""

    is_total: bool
    note: str = ""


@dataclass(slots=True)
class TotalRules:
    """What is usual in the data rows, and their running sums (in all, and since the last subtotal)."""

    formats: dict[int, NumberFormat]
    usual: frozenset[int]
    """The columns of text and dates that nearly every row fills."""
    kinds: tuple[Kind, ...]
    sums: dict[int, Decimal] = field(default_factory=dict[int, Decimal])
    since: dict[int, Decimal] = field(default_factory=dict[int, Decimal])
    rows: int = 0

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], kinds: Sequence[Kind], decimal: str) -> "TotalRules":
        """Learn what is usual from all rows below the header."""
        formats: dict[int, NumberFormat] = {}
        for place, kind in enumerate(kinds):
            found = number_format((row[place] for row in rows), decimal) if kind == "number" else None
            if found is not None:
                formats[place] = found
        usual = [
            place
            for place in range(len(kinds))
            if place not in formats
            and sum(1 for row in rows if row[place]) >= max(1, min(0.7 * len(rows), len(rows) - 1))
        ]
        return cls(formats, frozenset(usual), tuple(kinds))

    def add(self, cells: Sequence[str]) -> None:
        """Count a data row into the sums."""
        self.rows += 1
        for place, value in self._numbers(cells).items():
            self.sums[place] = self.sums.get(place, Decimal(0)) + value
            self.since[place] = self.since.get(place, Decimal(0)) + value

    def judge(self, cells: Sequence[str], *, at_edge: bool) -> Verdict:
        """Decide whether a row is a total of the rows added so far; `at_edge`: near the top or the bottom."""
        missing = [place for place in self.usual if is_blank(cells[place])]
        if not missing and not at_edge:
            return Verdict(is_total=False)
        labels = [place for place in range(len(cells)) if self._is_label(cells[place])]
        others = self.usual.difference(labels)
        beside = [place for place in range(len(cells)) if place not in self.formats and place not in labels]
        lone = bool(beside) and not any(cells[place] and not currency_of(cells[place]) for place in beside)
        numbers = self._numbers(cells)
        summed = self._is_sum(numbers)
        if labels and (lone or len(missing) * 2 > len(others) or self._is_dated_balance(cells, labels)):
            return self._total(numbers, summed, cells, labels)
        if summed and (lone or (labels and self._texts(cells) == labels)):
            return self._total(numbers, summed, cells, labels)
        return Verdict(is_total=False)

    def _total(self, numbers: dict[int, Decimal], summed: bool, cells: Sequence[str], labels: list[int]) -> Verdict:
        self.since.clear()
        sums = [place for place in labels if is_total_label(cells[place])]
        if summed or not sums or not self.rows or not numbers.keys() & self.sums.keys():
            return Verdict(is_total=True)
        shown = ", ".join(str(value) for place, value in numbers.items() if place in self.sums)
        return Verdict(is_total=True, note=f"`{cells[sums[0]]}` says {shown}, which is not the sum of the rows above.")

    def _is_label(self, cell: str) -> bool:
        # A reference or a name can hold such a word; a label is short.
        if not cell or len(cell) > 60 or kind_of(cell) != "text":
            return False
        if set(cell) <= {"*"}:
            return True  # how accounting programs mark the lines of sums
        return is_total_label(cell) or is_balance_label(cell)

    def _is_dated_balance(self, cells: Sequence[str], labels: Sequence[int]) -> bool:
        """A statement's `01.03.2026;Anfangssaldo;;1.000,00`: nothing but a date and the exact label."""
        return self._texts(cells) == list(labels) and all(is_exact_balance_label(cells[place]) for place in labels)

    def _texts(self, cells: Sequence[str]) -> list[int]:
        return [place for place, cell in enumerate(cells) if kind_of(cell) == "text"]

    def _numbers(self, cells: Sequence[str]) -> dict[int, Decimal]:
        values = {place: form.read(cells[place]) for place, form in self.formats.items()}
        return {place: value for place, value in values.items() if value is not None}

    def _is_sum(self, numbers: dict[int, Decimal]) -> bool:
        if self.rows < _FEWEST_SUMMED or not numbers:
            return False
        return any(
            all(value == sums.get(place, Decimal(0)) for place, value in numbers.items())
            for sums in (self.sums, self.since)
        )
