"""Pass `currency`: an equal amount and the same name in the usual time, booked in different currencies."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from agents.tools.builtin.reconcile.assignment import Pair, components
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.names import SAME
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.pairing import cost, links_of, unreserved
from agents.tools.builtin.reconcile.references import contradict
from agents.tools.builtin.reconcile.state import Found, State, days_apart


def currency(state: State, options: MatchOptions) -> Found:
    """Link equal amounts of one party in two currencies, where there is only one such pair."""
    pairs = [pair for group in components(_pairs(state, options)) if len(group) == 1 for pair in group]
    return links_of(state, pairs, "currency")


def _pairs(state: State, options: MatchOptions) -> Iterator[Pair]:
    rights: dict[tuple[Decimal, str], list[tuple[int, Entry]]] = defaultdict(list)
    currencies: dict[Decimal, set[str]] = defaultdict(set)
    for at, entry in unreserved(state, "right"):
        rights[entry.amount, entry.currency].append((at, entry))
        currencies[entry.amount].add(entry.currency)
    for at, left in unreserved(state, "left"):
        for name in sorted(currencies.get(left.amount, set()) - {left.currency}):
            for other_at, right in rights[left.amount, name][: 2 * options.group_size]:
                days, score = days_apart(left, right), state.books.name_score(left, right)
                near = days is not None and state.lag.usual(days, options.slack_days)
                if near and score is not None and score >= SAME and not _apart(state, left, right):
                    yield Pair(at, other_at, cost(state, left, right))


def _apart(state: State, left: Entry, right: Entry) -> bool:
    return state.books.references.one_system and contradict(left, right)
