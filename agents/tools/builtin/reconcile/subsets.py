"""Which few of several amounts add up exactly to a target, within a fixed amount of work."""

from collections.abc import Sequence
from decimal import Decimal
from math import comb
from typing import Final

_NODES: Final = 20_000
_CHANCE: Final = 50
"""Sums are looked for only while the number of possible subsets is this many times smaller than the target counted in
its smallest unit: beyond that some subset hits the target by chance."""


def telling_size(count: int, target: Decimal, most: int) -> int:
    """The largest size of subset, up to `most`, whose exact sum still says something; 0 or 1 means none."""
    units = abs(int(target * 100))
    subsets = 0
    for size in range(2, min(most, count) + 1):
        subsets += comb(count, size)
        if subsets * _CHANCE > units:
            return size - 1
    return min(most, count)


def exact_sums(amounts: Sequence[Decimal], target: Decimal, most: int, solutions: int = 5) -> list[tuple[int, ...]]:
    """Positions of the subsets of 2 to `most` amounts that sum to `target`, smaller subsets first.

    Returns at most `solutions`, and gives up after a fixed number of steps, so that it never grows exponentially.
    """
    order = sorted(range(len(amounts)), key=lambda at: (-abs(amounts[at]), at))
    values = [amounts[at] for at in order]
    above, below = _reach(values)
    found: list[tuple[int, ...]] = []
    nodes = 0

    def search(start: int, rest: Decimal, size: int, taken: tuple[int, ...]) -> None:
        nonlocal nodes
        for at in range(start, len(values) - size + 1):
            nodes += 1
            if nodes > _NODES or len(found) >= solutions:
                return
            if not below[at] <= rest <= above[at]:
                return
            if size > 1:
                search(at + 1, rest - values[at], size - 1, (*taken, at))
            elif values[at] == rest:
                found.append((*taken, at))

    for size in range(2, min(most, len(values)) + 1):
        search(0, target, size, ())
    return [tuple(sorted(order[at] for at in subset)) for subset in found]


def _reach(values: Sequence[Decimal]) -> tuple[list[Decimal], list[Decimal]]:
    """The greatest and the least sum that can still be made from each position on."""
    zero = Decimal(0)
    above, below = [zero] * (len(values) + 1), [zero] * (len(values) + 1)
    for at in range(len(values) - 1, -1, -1):
        above[at] = above[at + 1] + max(values[at], zero)
        below[at] = below[at + 1] + min(values[at], zero)
    return above, below
