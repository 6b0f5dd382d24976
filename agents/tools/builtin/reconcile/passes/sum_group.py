"""Pass `sum_group`: several bookings of one party around one day that add up exactly to a booking across."""

from collections.abc import Iterator
from decimal import Decimal

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.grouping import Hit, Neighbours, distinct, resolve, total
from agents.tools.builtin.reconcile.passes.pairing import reserved
from agents.tools.builtin.reconcile.state import SIDES, Found, SideName, State, other_side
from agents.tools.builtin.reconcile.subsets import exact_sums, telling_size


def sum_group(state: State, options: MatchOptions) -> Found:
    """Link one booking with the bookings whose sum it is; never more subsets than say something."""
    return resolve(state, [hit for side in SIDES for hit in _hits(state, side, options)], "sum_group")


def _hits(state: State, side: SideName, options: MatchOptions) -> Iterator[Hit]:
    across = other_side(side)
    held = reserved(state, side)
    neighbours = Neighbours(state, across, reserved(state, across))
    for target in state.entries(side):
        if target.row in held or not target.amount:
            continue
        if state.books.names.fold(target.party):
            candidates = neighbours.of_party(target, options)
            solutions = _whole_days(target, candidates) or _subsets(target, candidates, options)
        else:
            days = neighbours.days_around(target, options)
            solutions = _whole_days(target, [entry for day in days for entry in neighbours.of_day(target, day)])
        if solutions:
            yield Hit(side, target.row, solutions)


def _subsets(target: Entry, candidates: list[Entry], options: MatchOptions) -> tuple[tuple[int, ...], ...]:
    size = telling_size(len(candidates), target.amount, options.group_size)
    if size < 2:
        return ()
    sums = exact_sums([entry.amount for entry in candidates], target.amount, size)
    return distinct(tuple(candidates[at] for at in subset) for subset in sums)


def _whole_days(target: Entry, candidates: list[Entry]) -> tuple[tuple[int, ...], ...]:
    """All bookings of one day, or of several days in a row: how card and cash takings are paid out."""
    days: dict[object, list[Entry]] = {}
    for entry in candidates:
        days.setdefault(entry.date, []).append(entry)
    blocks = list(days.values())
    sums = [total(block) for block in blocks]
    found: list[tuple[Entry, ...]] = []
    for first in range(len(blocks)):
        running = Decimal(0)
        for last in range(first, len(blocks)):
            running += sums[last]
            if running == target.amount and (last > first or len(blocks[first]) > 1):
                found.append(tuple(entry for block in blocks[first : last + 1] for entry in block))
    return distinct(found)
