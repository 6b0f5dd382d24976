"""One booking too many on one side: the equal one beside it stays, this one is told as a double."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.options import MatchOptions, PassName
from agents.tools.builtin.reconcile.passes.contest import same_booking
from agents.tools.builtin.reconcile.state import SIDES, Found, SideName, State, Twin

_NEIGHBOURS: Final = 25
"""Equal bookings looked at before and after one; one price sold a thousand times a day is no thousand doubles."""

Block = list[Entry]


def doubles(state: State, keys: Callable[[Entry], Iterable[str]], rule: PassName, options: MatchOptions) -> Found:
    """Open bookings that say the same as another of their side, linked ones first; of two open ones the later.

    `keys` says what two equal bookings have in common besides amount and currency; no key, no double.
    """
    twins: list[Twin] = []
    for side in SIDES:
        blocks: dict[tuple[object, ...], Block] = defaultdict(list)
        for entry in state.books.entries[side].values():
            for key in keys(entry):
                blocks[entry.currency, entry.amount, key].append(entry)
        near: dict[int, Block] = defaultdict(list)
        for block in blocks.values():
            for at, entry in enumerate(block) if len(block) > 1 else ():
                near[entry.row] += block[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]
        twins += _told(state, side, near, rule, options)
    return Found(twins=tuple(twins))


def _told(state: State, side: SideName, near: dict[int, Block], rule: PassName, options: MatchOptions) -> list[Twin]:
    still_open, gone, told = set(state.open[side]), set[int](), list[Twin]()
    for row in reversed(state.open[side]):
        entry = state.books.entries[side][row]
        rivals = [one for one in near.get(row, ()) if one.row != row and one.row not in gone]
        equal = [one for one in rivals if same_booking(state, entry, one, options)]
        if equal:
            gone.add(row)
            twin = min(equal, key=lambda one: (one.row in still_open, _distance(entry, one)))
            told.append(Twin(side, row, twin.row, rule))
    return told


def _distance(one: Entry, other: Entry) -> int:
    return abs((one.date - other.date).days) if one.date and other.date else 0
