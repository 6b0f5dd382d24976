"""Pass `reference_spelling`: a reference spelled differently or standing inside free text, and an equal amount."""

from agents.tools.builtin.reconcile.assignment import assign
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.pairing import links_of, pairs_by_reference
from agents.tools.builtin.reconcile.state import Found, State


def reference_spelling(state: State, _options: MatchOptions) -> Found:
    """Link references that agree in their number, or that the other side's text names."""
    pairs = pairs_by_reference(state, state.books.references.partners)
    return links_of(state, assign(pairs), "reference_spelling")
