"""Open pairs of one party in the usual time whose amounts differ, found by party, day and amount."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.names import SAME, block_keys
from agents.tools.builtin.reconcile.passes.pairing import unreserved
from agents.tools.builtin.reconcile.references import contradict
from agents.tools.builtin.reconcile.state import State

_MOST_A_DAY: Final = 12
_REACH: Final = Decimal(100)

Candidate = tuple[int, Entry]


def pairs_of_party(state: State, share: Decimal, slack_days: int) -> Iterator[tuple[Candidate, Candidate]]:
    """Left and right bookings of one party, one currency and one sign, off by at most a share or a fixed amount."""
    index = _index(state)
    for at, left in unreserved(state, "left"):
        if left.date is None:
            continue
        reach = max(abs(left.amount) * share, _REACH)
        seen: set[int] = set()
        for day in range(state.lag.low - slack_days, state.lag.high + slack_days + 1):
            for key in block_keys(state.books.names.fold(left.party)):
                block = index.get((left.currency, key, _shifted(left, day)))
                for other in _within(block, left.amount - reach, left.amount + reach) if block else ():
                    if other[1].row not in seen and _one_party(state, left, other[1]):
                        seen.add(other[1].row)
                        yield (at, left), other


def _shifted(entry: Entry, days: int) -> int:
    assert entry.date is not None
    return entry.date.toordinal() + days


def _index(state: State) -> dict[tuple[str, str, int], list[Candidate]]:
    index: dict[tuple[str, str, int], list[Candidate]] = defaultdict(list)
    for at, entry in unreserved(state, "right"):
        if entry.date is not None:
            for key in block_keys(state.books.names.fold(entry.party)):
                index[entry.currency, key, entry.date.toordinal()].append((at, entry))
    for block in index.values():
        block.sort(key=lambda candidate: (candidate[1].amount, candidate[0]))
    return index


def _within(block: list[Candidate], low: Decimal, high: Decimal) -> list[Candidate]:
    first = bisect_left(block, low, key=lambda candidate: candidate[1].amount)
    last = bisect_right(block, high, key=lambda candidate: candidate[1].amount)
    if last - first > _MOST_A_DAY:
        middle = (low + high) / 2
        nearest = sorted(block[first:last], key=lambda candidate: (abs(candidate[1].amount - middle), candidate[0]))
        return nearest[:_MOST_A_DAY]
    return block[first:last]


def _one_party(state: State, left: Entry, right: Entry) -> bool:
    if left.amount == right.amount or left.amount * right.amount <= 0:
        return False
    score = state.books.name_score(left, right)
    if score is None or score < SAME:
        return False
    return not (state.books.references.one_system and contradict(left, right))
