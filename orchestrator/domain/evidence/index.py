"""An observation's content as the check looks things up in it: numbers, row numbers, dates, codes and words."""

import json
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, cast

from orchestrator.domain.evidence.currencies import POWERS, SCALE
from orchestrator.domain.evidence.figures import Figure, scan
from orchestrator.domain.evidence.typography import flat, fold

_PLACE_KEYS = frozenset({"row", "line", "index", "position", "row_number", "line_number"})
_PLACE_LISTS = _PLACE_KEYS | {"rows", "lines", "indices", "indexes", "positions", "row_numbers", "line_numbers"}
_FEWEST_PLACES = 8
_SPARSEST = 4
_LONG_DIGITS = re.compile(r"\d{5,}")
_NOT_SOLID = re.compile(r"[^\w\n]|_")
_SCALES = re.compile(SCALE)
PLAIN_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_DASHES = frozenset("-–—−")
"""A cell with nothing but a dash says zero."""
_APART = "\n\x01\n"
"""Keeps strings apart, so that no quote reaches from one into the next."""
_DEEPEST_COUNTED = 2
"""Lists that deep have a length that counts as a figure: `3 rows` of an observation that lists three."""
MOST_DIGITS = 40


@dataclass(frozen=True)
class Index:
    """What one observation contains. Row numbers (`places`) are kept apart from numbers: or any small figure would be
    supported by some row of a long table."""

    values: frozenset[Decimal]
    places: frozenset[int]
    days: frozenset[tuple[int, int, int]]
    years: frozenset[int]
    codes: frozenset[str]
    text: str

    @classmethod
    def of(cls, content: object) -> "Index":
        """The index of a JSON value; a text that is no JSON value stands for itself."""
        gathered = _Gathered()
        gathered.take(content, "", 0)
        return gathered.index()

    @classmethod
    def of_json(cls, text: str) -> "Index":
        """The index of JSON text, its numbers read exactly."""
        try:
            return cls.of(json.loads(text, parse_float=Decimal))
        except ValueError:
            return cls.of(text)

    @cached_property
    def ordered(self) -> Sequence[Decimal]:
        """The values in order, for looking up what is near."""
        return sorted(self.values)

    @cached_property
    def words(self) -> str:
        """The text for looking up quotes."""
        return flat(self.text).casefold()

    @cached_property
    def solid(self) -> str:
        """The text's letters and digits alone, line by line, for looking up codes that are spelt with other dashes."""
        return _NOT_SOLID.sub("", fold(self.text)).casefold()

    @cached_property
    def scales(self) -> frozenset[int]:
        """The powers of ten that the text names, as `(In thousands)` over a table does."""
        named = {POWERS[match[0].casefold()] for match in _SCALES.finditer(fold(self.text))}
        return frozenset(named | ({3} if re.search(r"\b000s?\b", self.text) else set[int]()))

    def between(self, low: Decimal, high: Decimal) -> Sequence[Decimal]:
        """The values from `low` to `high`, both included."""
        return self.ordered[bisect_left(self.ordered, low) : bisect_right(self.ordered, high)]


def merged(indexes: Iterable[Index]) -> Index:
    """One index of several contents, such as a result and the files it came with."""
    parts = tuple(indexes)
    if len(parts) == 1:
        return parts[0]
    return Index(
        values=frozenset[Decimal]().union(*(part.values for part in parts)),
        places=frozenset[int]().union(*(part.places for part in parts)),
        days=frozenset[tuple[int, int, int]]().union(*(part.days for part in parts)),
        years=frozenset[int]().union(*(part.years for part in parts)),
        codes=frozenset[str]().union(*(part.codes for part in parts)),
        text=_APART.join(part.text for part in parts),
    )


class _Gathered:
    """What a walk through a JSON value finds."""

    def __init__(self) -> None:
        self.values: set[Decimal] = set()
        self.whole: dict[str, list[int]] = defaultdict(list)
        self.mixed: set[str] = set()
        self.strings: dict[str, None] = {}

    def take(self, value: object, path: str, depth: int) -> None:
        if isinstance(value, str):
            self.string(value)
        elif isinstance(value, bool) or value is None:
            return
        elif isinstance(value, int):
            if abs(value) < 10**MOST_DIGITS:
                self.whole[path].append(value)
        elif isinstance(value, float | Decimal):
            self.mixed.add(path)
            self.number(value if isinstance(value, Decimal) else Decimal(repr(value)))
        elif isinstance(value, Mapping):
            for key, item in cast("Mapping[str, Any]", value).items():
                self.strings[key] = None
                self.take(item, f"{path}.{key}", depth + 1)
        elif isinstance(value, Sequence):
            self.listed(cast("Sequence[Any]", value), path, depth)

    def number(self, value: Decimal) -> None:
        # Beyond this no report writes it out, and writing it out here would fill the memory.
        if value.is_finite() and abs(value.adjusted()) < MOST_DIGITS:
            self.values.add(value)

    def listed(self, items: Sequence[Any], path: str, depth: int) -> None:
        if depth <= _DEEPEST_COUNTED:
            self.values.add(Decimal(len(items)))
        inner = path.endswith("]")
        for position, item in enumerate(items):
            # A list inside a list is a row of a table: its columns are told apart by their positions.
            self.take(item, f"{path}[{position}]" if inner else f"{path}[]", depth + 1)

    def string(self, text: str) -> None:
        if text in self.strings:
            return
        self.strings[text] = None

    def index(self) -> Index:
        places = self._places()
        if any(text in _DASHES for text in self.strings):
            self.values.add(Decimal(0))
        strings = [text for text in self.strings if not PLAIN_NUMBER.fullmatch(text)]
        self.values.update(Decimal(text) for text in self.strings if PLAIN_NUMBER.fullmatch(text))
        text = _APART.join(strings)
        read = scan(text, split=True)
        for figure in read.figures:
            self.values.update(_meanings(figure))
        self.values.update(Decimal(run) for run in _LONG_DIGITS.findall(fold(text)))
        days = frozenset(day for moment in read.moments for day in moment.days)
        named = (number for name in read.names if name.kind == "year" for number in name.numbers)
        return Index(
            values=frozenset(self.values),
            places=places | {number for name in read.names if name.kind == "place" for number in name.numbers},
            days=days,
            years=frozenset({day[0] for day in days} | set(named) | _years(self.values)),
            codes=frozenset(solid(name.written) for name in read.names if name.kind == "code"),
            text=text,
        )

    def _places(self) -> frozenset[int]:
        """Takes the row numbers out of the whole numbers; the others are values."""
        kept = {path for path, numbers in self.whole.items() if path not in self.mixed and _are_places(path, numbers)}
        lists = {_last(path) for path in kept if path.endswith("[]")}
        kept |= {path for path in self.whole if path.endswith("[]") and _last(path) in lists and path not in self.mixed}
        for path, numbers in self.whole.items():
            if path not in kept:
                self.values.update(map(Decimal, numbers))
        return frozenset(number for path in kept for number in self.whole[path])


def _are_places(path: str, numbers: Sequence[int]) -> bool:
    """True for a path that is named as row numbers, or holds many whole numbers, all different and close together."""
    name = _last(path)
    if name in _PLACE_KEYS or (name.endswith("[]") and name.removesuffix("[]") in _PLACE_LISTS):
        return min(numbers) >= 0
    return (
        len(numbers) >= _FEWEST_PLACES
        and min(numbers) >= 0
        and len(set(numbers)) == len(numbers)
        and max(numbers) <= _SPARSEST * len(numbers)
    )


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _meanings(figure: Figure) -> Iterator[Decimal]:
    for value, _ in figure.values():
        yield value
        if figure.scale:
            yield value.scaleb(figure.scale)
        if figure.percent:
            yield value.scaleb(-2)


def _years(values: Iterable[Decimal]) -> set[int]:
    return {int(value) for value in values if 1900 <= value < 2100 and value == value.to_integral_value()}


def solid(code: str) -> str:
    """A code's letters and digits alone: `PO-2026/17`, `po 2026 17` and `PO202617` are one."""
    return _NOT_SOLID.sub("", code).casefold()
