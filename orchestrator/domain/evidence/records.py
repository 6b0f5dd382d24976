"""Ties what is said of one thing to its record: a row of a report that names an invoice is held against the record of
that invoice, not against every number of the observation.

A record is an object (or a row of a table) of an observation's data with at most `LARGEST` values in it. A figure is
stopped only when the record has a value one slip away that the row does not say: what is said besides the record, such
as a rank or a share, is left to the other rules. So are dates: those of one thing lie so close that two of them differ
in one digit as often as not.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, cast

from orchestrator.domain.evidence.figures import Figure
from orchestrator.domain.evidence.index import MOST_DIGITS, PLAIN_NUMBER, Index, solid
from orchestrator.domain.evidence.support import digit_slips
from orchestrator.domain.evidence.typography import fold

LARGEST = 64
MOST_RECORDS = 20
"""A name that more records have says too little."""
_LONGEST = 80
_CODE = re.compile(r"[^\W_][\w/.#-]*\d{3}[\w/.#-]*")
_NUMBER_STARTS = frozenset("+-._0123456789")
"""With what a text begins that is a number; trying the others takes longer than anything else about them."""
_FEWEST_DIGITS = 3
_FEWEST_NUMBERS = 2
SMALL = 1000

Key = tuple[str, str]
"""(`code` | `text` | `number`, how it is written when only what counts is left)."""


@dataclass(slots=True)
class Record:
    """An object or a row of an observation, and which of the wanted keys it has."""

    content: object
    keys: set[Key]
    _index: Index | None = None
    _bare: frozenset[Decimal] | None = None

    def has(self, value: Decimal) -> bool:
        """True when the record has this number, with or without a minus, or as a row number."""
        # Nearly every figure of a report is right, and is a number by itself there: reading texts takes far longer.
        if self._bare is None:
            self._bare = frozenset(_bare_numbers(self.content))
        return value in self._bare or _has(self._indexed(), value)

    def has_place(self, value: Decimal) -> bool:
        """True when the record has this number as a row number."""
        return _has_place(self._indexed(), value)

    def _indexed(self) -> Index:
        if self._index is None:
            self._index = Index.of(self.content)
        return self._index


@dataclass(slots=True)
class Records:
    """The records of some observations that have one of the wanted keys."""

    by_key: dict[Key, list[Record]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, contents: Iterable[object], wanted: frozenset[Key]) -> "Records":
        """Walks through JSON values once; texts and what is indexed already have no records."""
        made = cls()
        if wanted:
            for content in contents:
                _Walk(wanted, made.by_key).walk(content)
        return made

    def about(self, keys: frozenset[Key]) -> Sequence[Record]:
        """The records of what a unit speaks of: those of its names; without names, where most of its numbers meet."""
        known = {key: found for key in keys if 0 < len(found := self.by_key.get(key, ())) <= MOST_RECORDS}
        named = [record for key, found in known.items() if key[0] != "number" for record in _fullest(found, keys)]
        if not named:
            every = {id(record): record for found in known.values() for record in found}
            named = [one for one in _fullest(every.values(), keys) if len(one.keys & keys) >= _FEWEST_NUMBERS]
        return list({id(record): record for record in named}.values())


def slip(figure: Figure, said: Sequence[Figure], records: Sequence[Record]) -> Decimal | None:
    """What records have in place of a figure; None: the figure stands there, or nothing like it that is not `said`.

    A small whole number may be a rank or a count of the report's own; it is only held against what the record itself
    calls its row or line.
    """
    values = [value for value, _ in figure.values()]
    if any(record.has(value) for record in records for value in values):
        return None
    amount = figure.readings[0].decimals > 0 or abs(values[0]) >= SMALL
    others = {value for one in said for value, _ in one.values()}
    slips = (other for value in values for other in digit_slips(value) if other not in others)
    has = Record.has if amount else Record.has_place
    return next((other for other in slips if any(has(record, other) for record in records)), None)


def _fullest(records: Iterable[Record], keys: frozenset[Key]) -> Sequence[Record]:
    """The records that share most with the unit."""
    shared = [(len(record.keys & keys), record) for record in records]
    most = max((count for count, _ in shared), default=0)
    return [record for count, record in shared if count == most]


def _bare_numbers(value: object) -> Iterator[Decimal]:
    """The numbers that stand in a value by themselves; an index of it has them all, with this sign."""
    if isinstance(value, Mapping):
        value = list(cast("Mapping[str, object]", value).values())
    if isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from _bare_numbers(item)
    elif isinstance(value, str):
        if PLAIN_NUMBER.fullmatch(value):
            yield Decimal(value)
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**MOST_DIGITS:
        yield Decimal(value)


def _has(index: Index, value: Decimal) -> bool:
    return value in index.values or -value in index.values or _has_place(index, value)


def _has_place(index: Index, value: Decimal) -> bool:
    return value == value.to_integral_value() and int(value) in index.places


@dataclass(slots=True)
class _Inside:
    """What stands in a value: how many scalars (`LARGEST` + 1: too many for a record), and which wanted keys."""

    count: int = 0
    keys: set[Key] = field(default_factory=set[Key])
    claimed: set[Key] = field(default_factory=set[Key])
    """Those that a record further inside is known by: the innermost record is the one that is meant."""


class _Walk:
    """A walk through a JSON value that notes which of its records are known by which of the wanted keys."""

    def __init__(self, wanted: frozenset[Key], found: dict[Key, list[Record]]) -> None:
        self._wanted = wanted
        self._found = found

    def walk(self, value: object) -> _Inside:
        """Note the records in the value, from the inside out."""
        if isinstance(value, Mapping):
            return self._record(value, cast("Mapping[str, Any]", value).values())
        if isinstance(value, list | tuple):
            items = cast("Sequence[Any]", value)
            nested = any(isinstance(item, Mapping | list | tuple) for item in items)
            return self._joined(items) if nested else self._record(items, items)
        return _Inside(1, {key for key in keys_of(value) if key in self._wanted})

    def _joined(self, items: Iterable[Any]) -> _Inside:
        whole = _Inside()
        for item in items:
            inside = self.walk(item)
            whole.count = min(whole.count + inside.count, LARGEST + 1)
            whole.keys |= inside.keys
            whole.claimed |= inside.claimed
        return whole

    def _record(self, content: object, items: Iterable[Any]) -> _Inside:
        inside = self._joined(items)
        if inside.keys and 1 < inside.count <= LARGEST:
            record = Record(content, inside.keys)
            for key in inside.keys - inside.claimed:
                self._found[key].append(record)
            inside.claimed = set(inside.keys)
        return inside


def keys_of(value: object) -> Iterator[Key]:
    """By what a scalar of a record is known."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float | Decimal):
        yield from number_key(Decimal(str(value)))
    elif isinstance(value, str):
        yield from text_keys(value)


def text_keys(text: str) -> Iterator[Key]:
    """By what a text is known: as a whole when it is short, by the codes in it, and as a number when it is one."""
    folded = fold(text).strip()
    yield from _whole_key(folded)
    for match in _CODE.finditer(folded):
        if any(sign.isalpha() for sign in match[0]) or match[0].isdigit():
            yield "code", solid(match[0])
    if folded[:1] in _NUMBER_STARTS:
        try:
            yield from number_key(Decimal(folded))
        except ArithmeticError:
            return


def whole_key(text: str) -> Iterator[Key]:
    """By what a short text is known as a whole."""
    return _whole_key(fold(text).strip())


def _whole_key(folded: str) -> Iterator[Key]:
    if len(folded) <= _LONGEST and any(map(str.isalpha, folded)):
        yield "text", folded.casefold()


def number_key(value: Decimal) -> Iterator[Key]:
    """A number of enough digits says which record is meant."""
    if value.is_finite() and len(value.normalize().as_tuple().digits) >= _FEWEST_DIGITS:
        yield "number", str(abs(value.normalize()))
