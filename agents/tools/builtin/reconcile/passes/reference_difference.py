"""Pass `reference_difference`: bookings with a common reference whose amounts or currencies do not agree."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair, assign
from agents.tools.builtin.reconcile.differences import reason_of
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.grouping import total
from agents.tools.builtin.reconcile.passes.pairing import cost
from agents.tools.builtin.reconcile.state import SIDES, Found, Link, Rows, SideName, State, content, other_side

_MOST_ROWS: Final = 10
_DISAGREE: Final = 50
_GROUP_SHARE: Final = 4
"""A group may be off by a quarter of its sum without a known reason; beyond that a reference is no proof."""


def reference_difference(state: State, _options: MatchOptions) -> Found:
    """Link what shares a reference though the amounts differ: explained pairs first, then what is left of each."""
    links: list[Link] = []
    for rows in _clusters(state):
        links += [Link(found, "reference_difference") for found in _linked(state, rows)]
    return Found(links=tuple(links))


def _clusters(state: State) -> Iterator[Rows]:
    """Open rows connected by references that few rows carry."""
    still_open = {side: set(state.open[side]) for side in SIDES}
    seen: set[int] = set()
    for start in state.open["left"]:
        if start in seen:
            continue
        found: dict[SideName, dict[int, None]] = {"left": {start: None}, "right": {}}
        frontier: list[tuple[SideName, int]] = [("left", start)]
        while frontier:
            side, row = frontier.pop()
            across = other_side(side)
            for other in state.books.references.telling_partners(side, row):
                if other in still_open[across] and other not in found[across]:
                    found[across][other] = None
                    frontier.append((across, other))
        seen.update(found["left"])
        if found["right"] and len(found["left"]) + len(found["right"]) <= _MOST_ROWS:
            yield Rows(_in_order(state, "left", found["left"]), _in_order(state, "right", found["right"]))


def _in_order(state: State, side: SideName, rows: dict[int, None]) -> tuple[int, ...]:
    entries = state.books.entries[side]
    return tuple(sorted(rows, key=lambda row: content(entries[row])))


def _linked(state: State, rows: Rows) -> Iterator[Rows]:
    lefts = [state.books.entries["left"][row] for row in rows.left]
    rights = [state.books.entries["right"][row] for row in rows.right]
    if len(lefts) > 1 and len(rights) > 1:
        chosen = _explained(state, lefts, rights)
        yield from (Rows((lefts[pair.left].row,), (rights[pair.right].row,)) for pair in chosen)
        lefts = [entry for at, entry in enumerate(lefts) if at not in {pair.left for pair in chosen}]
        rights = [entry for at, entry in enumerate(rights) if at not in {pair.right for pair in chosen}]
    if len(lefts) == len(rights) == 1:
        if _believable(state, lefts[0], rights[0]):
            yield Rows((lefts[0].row,), (rights[0].row,))
    elif lefts and rights and min(len(lefts), len(rights)) == 1:
        yield from _group(state, lefts, rights)


def _explained(state: State, lefts: list[Entry], rights: list[Entry]) -> list[Pair]:
    return assign(
        Pair(left_at, right_at, cost(state, left, right))
        for left_at, left in enumerate(lefts)
        for right_at, right in enumerate(rights)
        if left.currency == right.currency and _nearly(left.amount, right.amount)
    )


def _nearly(left: Decimal, right: Decimal) -> bool:
    return left != right and reason_of(left, right).known


def _believable(state: State, left: Entry, right: Entry) -> bool:
    """An equal reference is enough; another spelling of it needs a party that does not disagree."""
    if set(left.references) & set(right.references):
        return True
    score = state.books.name_score(left, right)
    return score is None or score >= _DISAGREE


def _group(state: State, lefts: list[Entry], rights: list[Entry]) -> Iterator[Rows]:
    """One against several whose sum is nearly right; otherwise the one pair that a known difference explains."""
    sums = total(lefts), total(rights)
    one_currency = len({entry.currency for entry in (*lefts, *rights)}) == 1
    if one_currency and sums[0] * sums[1] > 0 and abs(sums[0] - sums[1]) * _GROUP_SHARE <= max(map(abs, sums)):
        yield Rows(tuple(sorted(entry.row for entry in lefts)), tuple(sorted(entry.row for entry in rights)))
        return
    for pair in _explained(state, lefts, rights):
        yield Rows((lefts[pair.left].row,), (rights[pair.right].row,))
