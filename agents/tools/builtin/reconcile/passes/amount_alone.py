"""Pass `amount_alone`: an equal amount in the usual time under names that do not agree."""

from agents.tools.builtin.reconcile.assignment import Pair, components
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.pairing import cost, equal_amounts, links_of
from agents.tools.builtin.reconcile.references import contradict
from agents.tools.builtin.reconcile.state import Found, State, days_apart

_BLOCK = 100


def amount_alone(state: State, options: MatchOptions) -> Found:
    """Link the only two bookings of an amount in their time: somebody else paid, or the bank names nobody."""
    pairs: list[Pair] = []
    for lefts, rights in equal_amounts(state):
        if len(lefts) * len(rights) > _BLOCK:
            continue
        for left_at, left in lefts:
            for right_at, right in rights:
                days = days_apart(left, right)
                near = days is None or state.lag.usual(days, options.slack_days)
                if near and not (state.books.references.one_system and contradict(left, right)):
                    pairs.append(Pair(left_at, right_at, cost(state, left, right)))
    alone = [pair for group in components(pairs) if len(group) == 1 for pair in group]
    return links_of(state, alone, "amount_alone")
