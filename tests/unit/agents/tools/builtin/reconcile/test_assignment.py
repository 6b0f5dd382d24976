"""Assignments: as many pairs as possible, then the cheapest, the same for swapped sides."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.reconcile.assignment import Pair, assign, components

PAIRS = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(0, 30), max_size=14).map(
    lambda costs: [Pair(left, right, cost) for (left, right), cost in costs.items()]
)


@given(PAIRS)
def test_the_assignment_is_the_best_there_is(pairs: list[Pair]) -> None:
    """No other choice has more pairs, nor as many at less cost: compared with all of them."""
    chosen = assign(pairs)
    assert set(chosen) <= set(pairs)
    assert len({pair.left for pair in chosen}) == len({pair.right for pair in chosen}) == len(chosen)
    costs = {(pair.left, pair.right): pair.cost for pair in pairs}
    options = [
        [costs[left, right] for left, right in enumerate(order) if (left, right) in costs]
        for order in permutations(range(5))
    ]
    best = min((-len(one), sum(one)) for one in options)
    assert (-len(chosen), sum(pair.cost for pair in chosen)) == best


def test_components_share_nothing() -> None:
    """Pairs fall into the groups that compete with one another."""
    pairs = [Pair(0, 0, 1), Pair(1, 0, 2), Pair(2, 5, 1), Pair(1, 3, 1)]
    assert components(pairs) == [[Pair(0, 0, 1), Pair(1, 0, 2), Pair(1, 3, 1)], [Pair(2, 5, 1)]]


def test_large_components_are_assigned_too() -> None:
    """A hundred equal bookings a side: every one gets a partner, the nearest first."""
    pairs = [Pair(left, right, (left - right) ** 2) for left in range(100) for right in range(100)]
    assert assign(pairs) == [Pair(at, at, 0) for at in range(100)]


def test_nothing_is_assigned_to_nothing() -> None:
    """No pairs, no assignment."""
    assert assign([]) == []
