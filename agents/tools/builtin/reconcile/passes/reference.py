"""Pass `reference`: bookings with an equal reference and an exactly equal amount."""

from agents.tools.builtin.reconcile.assignment import assign
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.pairing import links_of, pairs_by_reference
from agents.tools.builtin.reconcile.state import Found, State


def reference(state: State, _options: MatchOptions) -> Found:
    """Link equal references with equal amounts, the nearest dates together where a reference recurs."""
    pairs = pairs_by_reference(state, state.books.references.own_partners)
    return links_of(state, assign(pairs), "reference")
