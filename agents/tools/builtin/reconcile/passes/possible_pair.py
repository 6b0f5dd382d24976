"""Pass `possible_pair`: what may belong together though no rule says so; asked of a person, never decided."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair, components
from agents.tools.builtin.reconcile.names import SAME
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.near_amounts import pairs_of_party
from agents.tools.builtin.reconcile.passes.pairing import cost, equal_amounts, pair_rows
from agents.tools.builtin.reconcile.state import Doubt, Found, State, days_apart

_SHARE: Final = Decimal("0.50")
_BLOCK: Final = 100


def possible_pair(state: State, options: MatchOptions) -> Found:
    """Doubt the only two bookings of a party in their time with amounts apart, or with references that contradict."""
    doubts: list[Doubt] = []
    for group in components([*_amounts_apart(state), *_references_apart(state, options)]):
        if len(group) == 1:
            rows = pair_rows(state, group[0])
            doubts.append(Doubt("possible", rows, ((rows,),), "possible_pair"))
    return Found(doubts=tuple(doubts))


def _amounts_apart(state: State) -> Iterator[Pair]:
    for (left_at, left), (right_at, right) in pairs_of_party(state, _SHARE, 0):
        if abs(left.amount - right.amount) <= max(abs(left.amount), abs(right.amount)) * _SHARE:
            yield Pair(left_at, right_at, cost(state, left, right))


def _references_apart(state: State, options: MatchOptions) -> Iterator[Pair]:
    for lefts, rights in equal_amounts(state):
        if len(lefts) * len(rights) > _BLOCK:
            continue
        for left_at, left in lefts:
            for right_at, right in rights:
                days, score = days_apart(left, right), state.books.name_score(left, right)
                near = days is not None and state.lag.usual(days, options.slack_days)
                if near and score is not None and score >= SAME:
                    yield Pair(left_at, right_at, cost(state, left, right))
