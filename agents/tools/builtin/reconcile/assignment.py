"""The best one-to-one assignment among competing pairs: as many pairs as possible, then the least total cost."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

_EXACT_LIMIT: Final = 64
"""Larger components are assigned greedily: cubic time on hundreds of equal bookings buys nothing."""


class Pair(NamedTuple):
    """A left and a right position that may belong together, and what that would cost."""

    left: int
    right: int
    cost: int


def components(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """The pairs in groups that share no position with one another, in order of their first left position."""
    by_left: dict[int, list[Pair]] = defaultdict(list)
    by_right: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_left[pair.left].append(pair)
        by_right[pair.right].append(pair)
    groups: list[list[Pair]] = []
    seen: set[int] = set()
    for start in sorted(by_left):
        if start in seen:
            continue
        group: list[Pair] = []
        seen.add(start)
        frontier, rights = [start], set[int]()
        while frontier:
            for pair in by_left[frontier.pop()]:
                group.append(pair)
                if pair.right in rights:
                    continue
                rights.add(pair.right)
                for other in by_right[pair.right]:
                    if other.left not in seen:
                        seen.add(other.left)
                        frontier.append(other.left)
        groups.append(sorted(group))
    return groups


def best(pairs: list[Pair]) -> list[Pair]:
    """The assignment of one component."""
    if len(pairs) == 1:
        return pairs
    lefts = sorted({pair.left for pair in pairs})
    rights = sorted({pair.right for pair in pairs})
    if max(len(lefts), len(rights)) > _EXACT_LIMIT:
        return _greedy(pairs)
    costs = {(pair.left, pair.right): pair.cost for pair in pairs}
    # More than all real costs together: a missing pair is never cheaper than any assignment without one.
    missing = sum(abs(pair.cost) for pair in pairs) + 1
    matrix = [[costs.get((left, right), missing) for right in rights] for left in lefts]
    across = [list(column) for column in zip(*matrix, strict=True)]
    # The shorter side gives the rows, or of two equal ones the lesser matrix: swapped sides give mirrored pairs.
    upright = (len(lefts), matrix) <= (len(rights), across)
    chosen = _hungarian(matrix) if upright else [(i, j) for j, i in _hungarian(across)]
    found = [(lefts[i], rights[j]) for i, j in chosen]
    return [Pair(left, right, costs[left, right]) for left, right in sorted(found) if (left, right) in costs]


def assign(pairs: Iterable[Pair]) -> list[Pair]:
    """The assignment of all components."""
    return [pair for group in components(pairs) for pair in best(group)]


def _greedy(pairs: list[Pair]) -> list[Pair]:
    lefts, rights, chosen = set[int](), set[int](), list[Pair]()
    for pair in sorted(pairs, key=lambda pair: (pair.cost, pair.left + pair.right, pair.left)):
        if pair.left not in lefts and pair.right not in rights:
            lefts.add(pair.left)
            rights.add(pair.right)
            chosen.append(pair)
    return sorted(chosen)


def _hungarian(matrix: list[list[int]]) -> list[tuple[int, int]]:
    """Kuhn and Munkres with potentials, for at most as many rows as columns; (row, column) of each row."""
    rows, columns = len(matrix), len(matrix[0])
    row_potential, column_potential = [0] * (rows + 1), [0] * (columns + 1)
    taken_by, came_from = [0] * (columns + 1), [0] * (columns + 1)
    infinite = 1 + 2 * sum(max(map(abs, row)) for row in matrix) * (rows + columns)
    for row in range(1, rows + 1):
        taken_by[0], column = row, 0
        least, used = [infinite] * (columns + 1), [False] * (columns + 1)
        while taken_by[column]:
            used[column] = True
            step, following = infinite, 0
            for other in range(1, columns + 1):
                if used[other]:
                    continue
                here = taken_by[column]
                slack = matrix[here - 1][other - 1] - row_potential[here] - column_potential[other]
                if slack < least[other]:
                    least[other], came_from[other] = slack, column
                if least[other] < step:
                    step, following = least[other], other
            for other in range(columns + 1):
                if used[other]:
                    row_potential[taken_by[other]] += step
                    column_potential[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:
            taken_by[column] = taken_by[came_from[column]]
            column = came_from[column]
    return [(taken_by[column] - 1, column - 1) for column in range(1, columns + 1) if taken_by[column]]
