"""Siblings: what the child of a mapped subtask is told of the list that its item comes from: the beginning.

Told of all of it, ten thousand children would each pay for ten thousand items.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.briefing import Predecessor

MOST_LISTED = 100
"""Items of the list of which each child is told."""


def has_long_list(told: Iterable[Predecessor]) -> bool:
    """True when some predecessor found a list that no child should be told all of."""
    return any(isinstance(value, list) and len(value) > MOST_LISTED for one in told for value in one.data.values())


def without_siblings(told: Sequence[Predecessor], mapped_over: str | None) -> tuple[Predecessor, ...]:
    """The predecessors with only the beginning of the list `mapped_over`, and a word on what was left out."""
    return tuple(one if mapped_over is None else _shortened(one, mapped_over) for one in told)


def _shortened(one: Predecessor, name: str) -> Predecessor:
    items = one.data.get(name)
    if not isinstance(items, list) or len(items) <= MOST_LISTED:
        return one
    note = f"{len(items) - MOST_LISTED:,} of {len(items):,} items of {name}; yours is `item`"
    return replace(one, data={**one.data, name: items[:MOST_LISTED], "left_out": note})
