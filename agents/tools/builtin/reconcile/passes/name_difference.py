"""Pass `name_difference`: one party in the usual time, with amounts off by a difference that a rule explains."""

from collections import Counter
from collections.abc import Collection
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.assignment import Pair
from agents.tools.builtin.reconcile.differences import DifferenceKind, reason_of
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.contest import decide
from agents.tools.builtin.reconcile.passes.near_amounts import pairs_of_party
from agents.tools.builtin.reconcile.passes.pairing import cost, pair_rows
from agents.tools.builtin.reconcile.state import Found, Rows, SideName, State

_SHARE: Final = Decimal("0.30")
_SLACK: Final = 1
_STRONG: Final[frozenset[DifferenceKind]] = frozenset(
    {"rounding", "repeated", "discount", "swapped_digits", "fee", "tariff"}
)
_SMALL_SHARE: Final = Decimal("0.01")
_SMALL_FIXED: Final = Decimal("0.50")


def name_difference(state: State, options: MatchOptions) -> Found:
    """Link one party's bookings with a typical difference; a choice between several goes to a person.

    A small share or one other digit is believed only of bookings that have no rival of about their size: in a crowd
    some are that near by chance. Taxes, lost decimal points and reversals are not believed without a reference.
    """
    strong: list[Pair] = []
    weak: list[Pair] = []
    rivals: Counter[tuple[SideName, int]] = Counter()
    for (left_at, left), (right_at, right) in pairs_of_party(state, _SHARE, _SLACK):
        rivals["left", left_at] += 1
        rivals["right", right_at] += 1
        pair = Pair(left_at, right_at, cost(state, left, right))
        if reason_of(left.amount, right.amount, state.repeated).kind in _STRONG:
            strong.append(pair)
        elif _nearly_equal(left, right, state.repeated):
            weak.append(pair)
    found = decide(state, strong, "name_difference", options)
    free = state.without(found)
    alone = [pair for pair in weak if rivals["left", pair.left] == rivals["right", pair.right] == 1]
    more = decide(state, [pair for pair in alone if _is_open(free, pair_rows(state, pair))], "name_difference", options)
    return Found(links=(*found.links, *more.links), doubts=(*found.doubts, *more.doubts))


def _nearly_equal(left: Entry, right: Entry, repeated: Collection[Decimal]) -> bool:
    off, larger = abs(left.amount - right.amount), max(abs(left.amount), abs(right.amount))
    kind = reason_of(left.amount, right.amount, repeated).kind
    return kind == "typo" or (kind == "share" and off <= larger * _SMALL_SHARE + _SMALL_FIXED)


def _is_open(state: State, rows: Rows) -> bool:
    return rows.left[0] in state.open["left"] and rows.right[0] in state.open["right"]
