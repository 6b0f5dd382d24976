"""Pass `reference_group`: bookings across that name a booking's references and add up to it exactly."""

from collections.abc import Iterator
from typing import Final

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.grouping import Hit, Neighbours, distinct, resolve, total
from agents.tools.builtin.reconcile.passes.pairing import reserved
from agents.tools.builtin.reconcile.state import SIDES, Found, SideName, State, other_side
from agents.tools.builtin.reconcile.subsets import exact_sums, telling_size

_MOST_PARTNERS: Final = 40
_MOST_SEARCHED: Final = 16


def reference_group(state: State, options: MatchOptions) -> Found:
    """Link one booking with all that share its references, or with those of them that sum to it."""
    return resolve(state, [hit for side in SIDES for hit in _hits(state, side, options)], "reference_group")


def _hits(state: State, side: SideName, options: MatchOptions) -> Iterator[Hit]:
    across = other_side(side)
    still_open = set(state.open[across])
    others = state.books.entries[across]
    neighbours = Neighbours(state, across, reserved(state, across))
    for target in state.entries(side):
        partners = [
            others[row]
            for row in state.books.references.partners(side, target.row)
            if row in still_open and others[row].currency == target.currency
        ]
        if not 1 <= len(partners) <= _MOST_PARTNERS:
            continue
        solutions = _among(target, partners) or _completed(target, partners, neighbours, options)
        if solutions:
            yield Hit(side, target.row, solutions)


def _among(target: Entry, partners: list[Entry]) -> tuple[tuple[int, ...], ...]:
    if len(partners) < 2:
        return ()
    if total(partners) == target.amount:
        return distinct([tuple(partners)])
    few = partners[:_MOST_SEARCHED]
    sums = exact_sums([entry.amount for entry in few], target.amount, len(few))
    return distinct(tuple(few[at] for at in subset) for subset in sums)


def _completed(
    target: Entry, partners: list[Entry], neighbours: Neighbours, options: MatchOptions
) -> tuple[tuple[int, ...], ...]:
    """A payment that names only some of what it pays: the rest is looked for among the same party's bookings."""
    rest = target.amount - total(partners)
    if not rest or abs(rest) >= abs(target.amount):
        return ()
    named = {entry.row for entry in partners}
    more = [entry for entry in neighbours.of_party(target, options) if entry.row not in named]
    single = [(entry,) for entry in more if entry.amount == rest]
    size = telling_size(len(more), rest, options.group_size)
    several = exact_sums([entry.amount for entry in more], rest, size) if not single and size >= 2 else []
    found = single or [tuple(more[at] for at in subset) for subset in several]
    return distinct((*partners, *rows) for rows in found)
