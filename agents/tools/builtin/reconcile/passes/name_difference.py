"""Pass `name_difference`: one party in the usual time, with amounts off by a difference that a rule explains."""

from collections import Counter
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair
from agents.tools.builtin.reconcile.differences import DifferenceKind, reason_of
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.contest import decide
from agents.tools.builtin.reconcile.passes.near_amounts import pairs_of_party
from agents.tools.builtin.reconcile.passes.pairing import cost
from agents.tools.builtin.reconcile.state import Found, State

_SHARE: Final = Decimal("0.30")
_SLACK: Final = 1
_STRONG: Final[frozenset[DifferenceKind]] = frozenset(
    {"rounding", "repeated", "discount", "swapped_digits", "fee", "tariff", "typo"}
)
_WEAK: Final[frozenset[DifferenceKind]] = frozenset({"share"})
"""Any small difference is believed only of what no exact reason links."""


_CROWD: Final = 3
"""Where a booking has more rivals of about its size than this, some are a small difference apart by chance."""


def name_difference(state: State, options: MatchOptions) -> Found:
    """Link one party's bookings with a typical difference; a choice between several goes to a person.

    Without a reference, taxes, lost decimal points and reversals are too far apart to be believed.
    """
    strong: list[Pair] = []
    weak: list[Pair] = []
    rivals: Counter[tuple[str, int]] = Counter()
    for (left_at, left), (right_at, right) in pairs_of_party(state, _SHARE, _SLACK):
        rivals["left", left_at] += 1
        rivals["right", right_at] += 1
        kind = reason_of(left.amount, right.amount, state.repeated).kind
        if kind in _STRONG:
            strong.append(Pair(left_at, right_at, cost(state, left, right)))
        elif kind in _WEAK:
            weak.append(Pair(left_at, right_at, cost(state, left, right)))
    found = decide(state, strong, "name_difference", options)
    placed = state.without(found)
    left_open, right_open = set(placed.open["left"]), set(placed.open["right"])
    rest = [
        pair
        for pair in weak
        if state.open["left"][pair.left] in left_open
        and state.open["right"][pair.right] in right_open
        and max(rivals["left", pair.left], rivals["right", pair.right]) <= _CROWD
    ]
    more = decide(state, rest, "name_difference", options)
    return Found(links=(*found.links, *more.links), doubts=(*found.doubts, *more.doubts))
