"""Pass `late`: an equal amount of the same party, further apart in time than bookings here usually are."""

from collections import Counter
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair, components
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.names import SAME
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.pairing import cost, equal_amounts, links_of
from agents.tools.builtin.reconcile.references import contradict
from agents.tools.builtin.reconcile.state import SIDES, Found, State, days_apart

_BLOCK: Final = 100


def late(state: State, options: MatchOptions) -> Found:
    """Link the only booking of that amount and party, however late; what recurs (a rent) is left alone."""
    recurring = _recurring(state)
    pairs: list[Pair] = []
    for lefts, rights in equal_amounts(state):
        if len(lefts) * len(rights) > _BLOCK:
            continue
        for left_at, left in lefts:
            if (state.books.names.fold(left.party), left.currency, left.amount) in recurring:
                continue
            for right_at, right in rights:
                if _fits(state, left, right, options):
                    pairs.append(Pair(left_at, right_at, cost(state, left, right)))
    alone = [pair for group in components(pairs) if len(group) == 1 for pair in group]
    return links_of(state, alone, "late")


def _fits(state: State, left: Entry, right: Entry, options: MatchOptions) -> bool:
    days = days_apart(left, right)
    score = state.books.name_score(left, right)
    if days is None or score is None or score < SAME or abs(days) > options.far_days:
        return False
    return not (state.books.references.one_system and contradict(left, right))


def _recurring(state: State) -> set[tuple[str, str, object]]:
    """Party, currency and amount of bookings that stand more than once on both sides."""
    counts = [
        Counter(
            (state.books.names.fold(entry.party), entry.currency, entry.amount)
            for entry in state.books.entries[side].values()
        )
        for side in SIDES
    ]
    return {key for key, count in counts[0].items() if count > 1 and counts[1][key] > 1}
