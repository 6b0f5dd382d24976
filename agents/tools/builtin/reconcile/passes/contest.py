"""Whether competing candidates are separated by a rule; where none does, the choice becomes a doubt for a person."""

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair, best, components
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.options import MatchOptions, PassName
from agents.tools.builtin.reconcile.passes.pairing import name_step, pair_rows
from agents.tools.builtin.reconcile.state import Doubt, Found, Link, Rows, SideName, State, days_apart

_MOST_OPTIONS: Final = 5
_MOST_CONTESTED: Final = 8


def decide(state: State, pairs: Iterable[Pair], rule: PassName, options: MatchOptions) -> Found:
    """Link what the pairs leave no choice in; doubt what could as well be linked otherwise."""
    links: list[Link] = []
    doubts: list[Doubt] = []
    for component in components(pairs):
        solution = best(component)
        involved = _contested(state, component, solution, options)
        links += [Link(pair_rows(state, pair), rule) for pair in solution if pair not in involved]
        if involved:
            doubts.append(_doubt(state, component, involved, rule))
    return Found(links=tuple(links), doubts=tuple(doubts))


def _contested(state: State, component: list[Pair], solution: list[Pair], options: MatchOptions) -> frozenset[Pair]:
    """The pairs of the solution, and of its rivals, between which no rule separates."""
    if len(component) == 1:
        return frozenset()
    by_right, by_left = {pair.right: pair for pair in solution}, {pair.left: pair for pair in solution}
    involved: set[Pair] = set()
    for rival in component:
        holder = by_right.get(rival.right) if rival.left not in by_left else None
        side: SideName = "left"
        if holder is None and rival.right not in by_right:
            holder, side = by_left.get(rival.left), "right"
        if holder is None or _tier(state, rival) > _tier(state, holder):
            continue
        if not _interchangeable(state, side, rival, solution, options):
            involved.update((rival, holder))
    return frozenset(involved)


def _tier(state: State, pair: Pair) -> tuple[int, int]:
    left, right = _entries(state, pair)
    days = days_apart(left, right)
    return name_step(state.books.name_score(left, right)), int(days is None or not state.lag.usual(days))


def _entries(state: State, pair: Pair) -> tuple[Entry, Entry]:
    rows = pair_rows(state, pair)
    return state.books.entries["left"][rows.left[0]], state.books.entries["right"][rows.right[0]]


def _interchangeable(state: State, side: SideName, rival: Pair, solution: list[Pair], options: MatchOptions) -> bool:
    """Whether the rival's open booking is the same booking again as a linked one: a double, told as such later."""
    at = 0 if side == "left" else 1
    mine = _entries(state, rival)[at]
    return any(same_booking(state, mine, _entries(state, pair)[at], options) for pair in solution)


def same_booking(state: State, one: Entry, other: Entry, options: MatchOptions) -> bool:
    """Whether two bookings of one side say the same: equal references or the same party, close in time."""
    if one.amount != other.amount or one.currency != other.currency:
        return False
    days = days_apart(one, other) or 0
    if one.references or other.references:
        return bool(set(one.references) & set(other.references)) and abs(days) <= options.twin_days
    return state.books.name_score(one, other) in range(95, 101) and abs(days) <= options.twin_days_unreferenced


def _doubt(state: State, component: list[Pair], involved: frozenset[Pair], rule: PassName) -> Doubt:
    lefts = sorted({pair.left for pair in involved})
    rights = sorted({pair.right for pair in involved})
    rows = Rows(tuple(state.open["left"][at] for at in lefts), tuple(state.open["right"][at] for at in rights))
    inside = [pair for pair in component if pair.left in lefts and pair.right in rights]
    return Doubt("tie", rows, _options(state, inside, lefts, rights), rule)


def _options(state: State, pairs: list[Pair], lefts: list[int], rights: list[int]) -> tuple[tuple[Rows, ...], ...]:
    """The ways to link the shorter side in full, the likeliest first."""
    if len(lefts) + len(rights) > _MOST_CONTESTED:
        return ()
    few, many = sorted((len(lefts), len(rights)))
    surplus_left = len(lefts) > len(rights)
    found: dict[tuple[Pair, ...], int] = {}
    for kept in combinations(lefts if surplus_left else rights, few):
        inside = [pair for pair in pairs if (pair.left if surplus_left else pair.right) in kept]
        chosen = tuple(pair for group in components(inside) for pair in best(group))
        if len(chosen) == few and few <= many:
            found[chosen] = sum(pair.cost for pair in chosen)
    ranked = sorted(found, key=lambda chosen: (found[chosen], chosen))[:_MOST_OPTIONS]
    return tuple(tuple(pair_rows(state, pair) for pair in chosen) for chosen in ranked)
