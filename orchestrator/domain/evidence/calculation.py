"""Finds the calculations that a text writes out (`a − b = c`, `a of b (c %)`) and says whether they hold."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product

from orchestrator.domain.evidence.arithmetic import Operator, Piece, balanced, evaluate
from orchestrator.domain.evidence.figures import Figure

_EVENT = re.compile(
    r"(?P<equals>(?<![=<>!≤≥])[=≈](?![=>]))"
    r"|(?P<operator>[+×÷·−]|(?<![^\s()\[\]\x00])[-–/*](?![^\s()\[\]\x00$€£¥])|(?<=\s)x(?=\s))"
    r"|(?P<open>[(\[])|(?P<close>[)\]])|(?P<stop>[.;:?!](?=\s|$)|[,、。；|=<>→])"
)
_EMPHASIS = re.compile(r"\*\*|__")
_BULLET = re.compile(r"^[ \t]*[-*+–•][ \t]+", re.MULTILINE)
"""A list's mark is no sign: `- 1 + 1 = 2` does not begin with minus one."""
_OPERATORS: dict[str, Operator] = {
    **dict.fromkeys("−-–", "-"),
    **dict.fromkeys("×*·x", "*"),
    **dict.fromkeys("÷/", "/"),
    "+": "+",
}
_SIGNS = "+-−–"
_PART_OF = re.compile(r"\s*(?:of|out of|von|sur|de|/)\s+(?:the\s+|all\s+)?", re.IGNORECASE)
_WORDS = re.compile(r"[^.;:|=\d]{0,60}")
_MOST_COMBINATIONS = 64


@dataclass(frozen=True, slots=True)
class Calculation:
    """`pieces` over `operands` is said to come to `result`. `rounded`: the result is only as exact as it is written."""

    operands: tuple[Figure, ...]
    pieces: tuple[Piece, ...]
    result: Figure
    rounded: bool = False

    def holds(self) -> bool:
        """True when some reading of the figures makes it right."""
        return any(self._fits(value) for outcome in self.outcomes() for value in self._shown(outcome))

    def outcomes(self) -> Iterator[Fraction]:
        """What it comes to, for each way its operands can be read."""
        choices = [tuple(_amounts(operand)) for operand in self.operands]
        for chosen in islice(product(*choices), _MOST_COMBINATIONS):
            outcome = evaluate(self.pieces, chosen)
            if outcome is not None:
                yield outcome

    def shown(self, outcome: Fraction) -> Fraction:
        """An outcome in the unit that the result is written in."""
        return next(self._shown(outcome))

    def _shown(self, outcome: Fraction) -> Iterator[Fraction]:
        if not self.result.percent:
            yield outcome / Fraction(10) ** self.result.scale
            return
        free = self.constants()
        divisors = [after for piece, after in pairwise((*self.pieces, "")) if piece in ("*", "/")]
        if not any(operand.percent for operand in self.operands) and all(divisor in free for divisor in divisors):
            yield outcome  # figures in per cent without the sign, added up or averaged: 27.4 − 33.5 = −6.1 %
        if divisors or any(operand.percent for operand in self.operands):
            yield outcome * 100

    def constants(self) -> frozenset[int]:
        """Which operands need no source: a divisor that counts the terms before it, × 100, ± 1 beside a ratio."""
        free: set[int] = set()
        terms = sum(1 for piece in self.pieces if piece in ("+", "-")) + 1
        for before, piece in zip(("", *self.pieces), self.pieces, strict=False):
            if not isinstance(piece, int):
                continue
            value = self.operands[piece].readings[0].value
            is_ratio = value == 1 and before in ("+", "-") and "/" in self.pieces
            counts = before == "/" and value in range(1, terms + 1)
            if is_ratio or counts or (value == 100 and before == "*"):
                free.add(piece)
        return frozenset(free)

    def _fits(self, value: Fraction) -> bool:
        loose = self.rounded or self.result.percent or self.result.scale > 0 or "/" in self.pieces or "*" in self.pieces
        return any(
            abs(value - Fraction(written)) <= Fraction(half) if loose else value == Fraction(written)
            for written, half in self.result.values()
        )


@dataclass(slots=True)
class _Draft:
    """The calculation that the figures read so far may be the left side of."""

    operands: list[Figure] = field(default_factory=list[Figure])
    pieces: list[Piece] = field(default_factory=list[Piece])
    equals: str = ""

    def take(self, figure: Figure, first: str) -> None:
        if self.pieces and (isinstance(self.pieces[-1], int) or self.pieces[-1] == ")"):
            if first in _SIGNS:  # `100 -30` is 100 + (−30)
                self.pieces.append("+")
            else:
                self.operands, self.pieces = [], []
        self.pieces.append(len(self.operands))
        self.operands.append(figure)

    def clear(self) -> None:
        self.operands, self.pieces, self.equals = [], [], ""


def calculations(rest: str, figures: Sequence[Figure], start: int, end: int) -> Iterator[Calculation]:
    """The calculations between two places of a scanned text. Words between the figures are labels and do not matter."""
    draft = _Draft()
    at = start
    for figure in figures:
        between = _EMPHASIS.sub("  ", rest[at : figure.start])
        for event in _EVENT.finditer(_BULLET.sub("", between) if at == start else between):
            _take_event(draft, event)
        if draft.equals:
            found = _finished(draft, figure)
            following = rest[figure.end : min(end, figure.end + 3)]
            if found and not re.match(r"\s?(?!\*\*)[+×÷·−*/]", following):
                yield found
            draft.clear()
        draft.take(figure, rest[figure.start])
        at = figure.end


def shares(rest: str, figures: Sequence[Figure]) -> Iterator[Calculation]:
    """The shares a text states: `5 of 7 (71.4 %)`, `5 of 7 rows, 71.4 %`."""
    for part, whole, share in zip(figures, figures[1:], figures[2:], strict=False):
        if not share.percent or whole.percent or not _PART_OF.fullmatch(rest, part.end, whole.start):
            continue
        if _WORDS.fullmatch(rest, whole.end, share.start):
            yield Calculation((part, whole), (0, "/", 1), share, rounded=True)


def _take_event(draft: _Draft, event: re.Match[str]) -> None:
    if event["stop"]:
        draft.clear()
    elif event["equals"]:
        draft.equals = event["equals"]
    elif draft.equals:
        draft.clear()
    elif event["operator"]:
        draft.pieces.append(_OPERATORS[event["operator"]])
    elif event["open"]:
        draft.pieces.append("(")
    else:
        draft.pieces.append(")")


def _finished(draft: _Draft, result: Figure) -> Calculation | None:
    pieces = tuple(balanced(draft.pieces))
    if len(draft.operands) < 2:
        return None
    found = Calculation(tuple(draft.operands), pieces, result, rounded=draft.equals == "≈")
    return found if next(found.outcomes(), None) is not None or "/" in pieces else None


def _amounts(figure: Figure) -> Iterator[Fraction]:
    for value, _ in figure.values():
        yield Fraction(value) * Fraction(10) ** (figure.scale - (2 if figure.percent else 0))
