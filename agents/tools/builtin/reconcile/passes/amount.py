"""Pass `amount`: an equal amount, names that agree or are missing, and the usual number of days apart."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.names import AGREE
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.contest import decide
from agents.tools.builtin.reconcile.passes.pairing import Placed, cost, equal_amounts
from agents.tools.builtin.reconcile.references import contradict
from agents.tools.builtin.reconcile.state import Found, State, days_apart

_BLOCK: Final = 4_000
"""Pairs of one amount compared one by one; larger blocks (one price sold a thousand times) are swept in time order."""


def amount(state: State, options: MatchOptions) -> Found:
    """Link equal amounts of one party in the usual time; a choice between several goes to a person."""
    pairs: list[Pair] = []
    for lefts, rights in equal_amounts(state):
        if len(lefts) * len(rights) <= _BLOCK:
            pairs += _compared(state, lefts, rights, options)
        else:
            pairs += _swept(state, lefts, rights, options)
    return decide(state, pairs, "amount", options)


def _fits(state: State, left: Entry, right: Entry, options: MatchOptions) -> bool:
    days = days_apart(left, right)
    if days is not None and not state.lag.usual(days, options.slack_days):
        return False
    score = state.books.name_score(left, right)
    if score is not None and score < AGREE:
        return False
    return not (state.books.references.one_system and contradict(left, right))


def _compared(state: State, lefts: Placed, rights: Placed, options: MatchOptions) -> Iterator[Pair]:
    for left_at, left in lefts:
        for right_at, right in rights:
            if _fits(state, left, right, options):
                yield Pair(left_at, right_at, cost(state, left, right))


def _swept(state: State, lefts: Placed, rights: Placed, options: MatchOptions) -> Iterator[Pair]:
    """Each left booking with the first free right one of the same name that fits; both lists run in time order."""
    waiting: dict[str, Placed] = defaultdict(list)
    for at, entry in rights:
        waiting[state.books.names.fold(entry.party)].append((at, entry))
    first: dict[str, int] = defaultdict(int)
    for at, entry in lefts:
        name = state.books.names.fold(entry.party)
        queue = waiting.get(name, [])
        while first[name] < len(queue):
            right_at, right = queue[first[name]]
            days = days_apart(entry, right)
            if days is not None and days > state.lag.high + options.slack_days:
                break
            first[name] += 1
            if _fits(state, entry, right, options):
                yield Pair(at, right_at, cost(state, entry, right))
                break
