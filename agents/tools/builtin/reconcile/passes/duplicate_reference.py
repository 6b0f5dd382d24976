"""Pass `duplicate_reference`: a booking that repeats reference, amount and currency of another on its side."""

from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.twins import doubles
from agents.tools.builtin.reconcile.state import Found, State


def duplicate_reference(state: State, options: MatchOptions) -> Found:
    """Tell repeated references with equal amounts, days apart, as doubles; a month apart they are instalments."""
    return doubles(state, lambda entry: entry.references, "duplicate_reference", options)
