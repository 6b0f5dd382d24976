"""Which rows of the two sides name the same reference, exactly or in another spelling, without comparing all pairs."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import OSA

from agents.tools.builtin.reconcile.entries import Entry

_WORD: Final = re.compile(r"[0-9A-Z]+")
_DIGITS: Final = re.compile(r"[0-9]{5,}")
_SHORTEST: Final = 4
_TOO_COMMON: Final = 2_500
"""A reference on so many pairs of rows identifies nothing (an account number, a word)."""
_TELLING: Final = 4
_ONE_SYSTEM: Final = 0.1


@dataclass(frozen=True, slots=True)
class Shared:
    """The rows that carry one reference, on each side."""

    left: tuple[int, ...]
    right: tuple[int, ...]


class ReferenceIndex:
    """References that stand on both sides. `own` are equal as read; `wide` also finds spellings and free text."""

    def __init__(self, left: Iterable[Entry], right: Iterable[Entry]) -> None:
        lefts, rights = tuple(left), tuple(right)
        own = _shared(_by_reference(lefts), _by_reference(rights))
        wide_left, wide_right = _by_token(lefts), _by_token(rights)
        on_left, on_right = set(wide_left), set(wide_right)
        _add_found_in_text(wide_left, lefts, on_right)
        _add_found_in_text(wide_right, rights, on_left)
        wide = _shared(wide_left, wide_right)
        self._own, self._wide = own, wide
        self._tokens = {"left": _tokens_of(wide, 0), "right": _tokens_of(wide, 1)}
        self._own_tokens = {"left": _tokens_of(own, 0), "right": _tokens_of(own, 1)}
        self.one_system = _overlap(own, lefts, rights)
        """Whether both sides number their bookings alike, so that different references mean different bookings."""

    def own_partners(self, side: str, row: int) -> list[int]:
        """Rows of the other side with an equal reference."""
        return _partners(self._own, self._own_tokens[side], side, row)

    def partners(self, side: str, row: int) -> list[int]:
        """Rows of the other side with a reference that is equal, spelled differently or found in the text."""
        return _partners(self._wide, self._tokens[side], side, row)

    def telling_partners(self, side: str, row: int) -> Iterator[int]:
        """Partners by references that few rows carry."""
        for token in self._tokens[side].get(row, ()):
            rows = self._wide[token]
            if max(len(rows.left), len(rows.right)) <= _TELLING:
                yield from rows.right if side == "left" else rows.left


def contradict(one: Entry, other: Entry) -> bool:
    """Whether both carry references of the same build that are not even nearly equal (`INV1001` and `INV2077`)."""
    shapes = {_shape(reference) for reference in one.references}
    alike = [reference for reference in other.references if _shape(reference) in shapes]
    if not alike:
        return False
    return all(
        OSA.distance(reference, mine, score_cutoff=1) > 1
        for reference in alike
        for mine in one.references
        if _shape(mine) == _shape(reference)
    )


def _shape(reference: str) -> str:
    return re.sub(r"[0-9]", "0", reference)


def _by_reference(entries: tuple[Entry, ...]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for entry in entries:
        for reference in dict.fromkeys(entry.references):
            rows[reference].append(entry.row)
    return rows


def _by_token(entries: tuple[Entry, ...]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for entry in entries:
        tokens = dict.fromkeys(entry.references)
        for reference in entry.references:
            tokens.update(dict.fromkeys(_cores(reference)))
        for token in tokens:
            rows[token].append(entry.row)
    return rows


def _cores(reference: str) -> Iterator[str]:
    """The long numbers in a reference, leading zeros aside: what stays when prefixes and signs differ."""
    for digits in _DIGITS.findall(reference):
        core = digits.lstrip("0")
        if len(core) >= _SHORTEST:
            yield f"#{core}"


def _add_found_in_text(rows: dict[str, list[int]], entries: tuple[Entry, ...], wanted: set[str]) -> None:
    """Add the rows whose free text names a reference of the other side, in one word or in up to three."""
    for entry in entries:
        if not entry.text:
            continue
        words = _WORD.findall(unicodedata.normalize("NFKC", entry.text).upper())
        for token in dict.fromkeys(_phrases(words)):
            if token in wanted and (not rows[token] or rows[token][-1] != entry.row):
                rows[token].append(entry.row)


def _phrases(words: list[str]) -> Iterator[str]:
    numbered = [not word.isalpha() for word in words]
    for at, word in enumerate(words):
        if numbered[at]:
            yield from _cores(word)
        phrase, digits = "", False
        for part, has_digits in zip(words[at : at + 3], numbered[at : at + 3], strict=True):
            phrase += part
            digits = digits or has_digits
            if digits and len(phrase) >= _SHORTEST:
                yield phrase


def _shared(left: Mapping[str, list[int]], right: Mapping[str, list[int]]) -> dict[str, Shared]:
    return {
        token: Shared(tuple(rows), tuple(right[token]))
        for token, rows in left.items()
        if rows and right.get(token) and len(rows) * len(right[token]) <= _TOO_COMMON
    }


def _tokens_of(shared: Mapping[str, Shared], side: int) -> dict[int, list[str]]:
    tokens: dict[int, list[str]] = defaultdict(list)
    for token, rows in shared.items():
        for row in (rows.left, rows.right)[side]:
            tokens[row].append(token)
    return tokens


def _partners(shared: Mapping[str, Shared], tokens: Mapping[int, list[str]], side: str, row: int) -> list[int]:
    mine = tokens.get(row, ())
    if side == "left":
        return list(dict.fromkeys(other for token in mine for other in shared[token].right))
    return list(dict.fromkeys(other for token in mine for other in shared[token].left))


def _overlap(own: Mapping[str, Shared], left: tuple[Entry, ...], right: tuple[Entry, ...]) -> bool:
    smaller = min(len(left), len(right))
    on_left = {row for rows in own.values() for row in rows.left}
    on_right = {row for rows in own.values() for row in rows.right}
    shared = min(len(on_left), len(on_right))
    return shared >= 3 and shared >= smaller * _ONE_SYSTEM
