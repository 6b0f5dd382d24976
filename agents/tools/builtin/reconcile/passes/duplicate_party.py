"""Pass `duplicate_party`: a booking without reference that repeats party, amount and currency, days apart."""

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.names import block_keys
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.twins import doubles
from agents.tools.builtin.reconcile.state import Found, State


def duplicate_party(state: State, options: MatchOptions) -> Found:
    """Tell equal amounts of one party within a few days as doubles where no reference parts them."""

    def keys(entry: Entry) -> tuple[str, ...]:
        return () if entry.references else block_keys(state.books.names.fold(entry.party))

    return doubles(state, keys, "duplicate_party", options)
