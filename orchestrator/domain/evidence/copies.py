"""Finds lines that a tool wrote and that came out changed: the same words, and one number with another digit."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from orchestrator.domain.evidence.typography import fold

_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST_LETTERS = 20
_FEWEST_NUMBERS = 3


@dataclass(frozen=True, slots=True)
class Changed:
    """Digits of a line that stand otherwise in the text it was taken from."""

    start: int
    end: int
    original: str
    source: str
    """The tool's text, as `E4.2/table.md`."""


class Copies:
    """The lines of texts that tools made, by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._lines = {line.strip() for text in texts.values() for line in fold(text).split("\n")}

    def has(self, line: str) -> bool:
        """True for a line that stands so in one of the texts."""
        return bool(line.strip()) and line.strip() in self._lines

    def changed(self, folded: str) -> Iterator[Changed]:
        """The numbers of a folded report that were changed on the way from a tool's text."""
        ends = [-1, *(match.start() for match in re.finditer("\n", folded)), len(folded)]
        doubtful = [
            (left + 1, line)
            for left, right in pairwise(ends)
            if _DIGITS.search(line := folded[left + 1 : right]) and not self.has(line)
        ]
        originals = self._originals({_skeleton(line) for _, line in doubtful}) if doubtful and self._texts else {}
        for start, line in doubtful:
            if (found := originals.get(_skeleton(line))) and (changed := _compared(line, found)):
                at, original, source = changed
                yield Changed(start + at.start(), start + at.end(), original, source)

    def _originals(self, wanted: set[str]) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Skeleton → the lines that have it, each with the name of its text."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, text in self._texts.items():
            for line in fold(text).split("\n"):
                if _DIGITS.search(line) and (skeleton := _skeleton(line)) in wanted:
                    found[skeleton].append((line, name))
        return found


def _skeleton(line: str) -> str:
    return _DIGITS.sub("#", line.strip())


def _compared(line: str, originals: Sequence[tuple[str, str]]) -> tuple[re.Match[str], str, str] | None:
    """The one number in which the line differs from the line it was taken from; None when it may be its own."""
    numbers = list(_DIGITS.finditer(line))
    if len(numbers) < _FEWEST_NUMBERS and len(_LETTERS.findall(line)) < _FEWEST_LETTERS:
        return None
    for original, source in originals:
        pairs = list(zip(numbers, _DIGITS.findall(original), strict=True))
        others = [(ours, theirs) for ours, theirs in pairs if ours[0] != theirs]
        if len(others) == 1 and is_slip(others[0][0][0], others[0][1]):
            return others[0][0], others[0][1], source
    return None


def is_slip(one: str, other: str) -> bool:
    """True when two runs of digits differ in one digit, or in two that changed places."""
    if len(one) != len(other):
        return False
    apart = [position for position, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    swapped = len(apart) == 2 and one[apart[0]] == other[apart[1]] and one[apart[1]] == other[apart[0]]
    return len(apart) == 1 or swapped
