"""What the passes share: positions instead of rows, costs of a pair, candidates by reference or by equal amount."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.options import PassName
from agents.tools.builtin.reconcile.state import SIDES, Found, Link, Rows, SideName, State, days_apart, other_side

FULL_NAME: Final = 95
UNDATED_COST: Final = 100
NAME_COST: Final = 1_000_000
"""One step of name agreement outweighs any number of days."""


Placed = list[tuple[int, Entry]]
"""Open bookings with their positions."""


def name_step(score: int | None) -> int:
    """0: the same name; 1: a similar one; 2: a name is missing; 3: the names do not agree."""
    if score is None:
        return 2
    if score >= FULL_NAME:
        return 0
    return 1 if score >= 80 else 3


def cost(state: State, left: Entry, right: Entry) -> int:
    """What it costs to link a pair: names first, then the square of the days off the usual delay.

    The square makes the assignment unique: two parallel links are always cheaper than two that cross.
    """
    days = days_apart(left, right)
    off = UNDATED_COST if days is None else min(abs(round(2 * (days - state.lag.middle))), 900)
    return name_step(state.books.name_score(left, right)) * NAME_COST + off * off


def pairs_by_reference(state: State, partners: Callable[[str, int], list[int]]) -> list[Pair]:
    """Open pairs that share a reference and have the same amount and currency."""
    place = positions(state, "right")
    rights = state.books.entries["right"]
    pairs: list[Pair] = []
    for at, left in enumerate(state.entries("left")):
        for row in partners("left", left.row):
            right = rights[row]
            if row in place and right.amount == left.amount and right.currency == left.currency:
                pairs.append(Pair(at, place[row], cost(state, left, right)))
    return pairs


def positions(state: State, side: SideName) -> dict[int, int]:
    """Row → position among the open rows of a side."""
    return {row: at for at, row in enumerate(state.open[side])}


def pair_rows(state: State, pair: Pair) -> Rows:
    """The rows at the positions of a pair."""
    return Rows((state.open["left"][pair.left],), (state.open["right"][pair.right],))


def links_of(state: State, pairs: Iterable[Pair], rule: PassName) -> Found:
    """The pairs as links of a pass."""
    return Found(links=tuple(Link(pair_rows(state, pair), rule) for pair in pairs))


def reserved(state: State, side: SideName) -> set[int]:
    """Open rows whose own reference stands in an open row across: no amount alone gives them away."""
    opposite = set(state.open[other_side(side)])
    references = state.books.references
    return {
        row
        for row in state.open[side]
        if any(row_across in opposite for row_across in references.telling_partners(side, row))
    }


def unreserved(state: State, side: SideName) -> Placed:
    """Position and booking of the open rows that no reference claims."""
    held = reserved(state, side)
    return [(at, entry) for at, entry in enumerate(state.entries(side)) if entry.row not in held]


def equal_amounts(state: State) -> Iterator[tuple[Placed, Placed]]:
    """Blocks of unreserved open bookings with one amount and currency that stand on both sides."""
    blocks: dict[tuple[str, Decimal], tuple[Placed, Placed]] = defaultdict(lambda: ([], []))
    for index, side in enumerate(SIDES):
        for at, entry in unreserved(state, side):
            blocks[entry.currency, entry.amount][index].append((at, entry))
    for lefts, rights in blocks.values():
        if lefts and rights:
            yield lefts, rights
