"""When a run is called off: after any of its deeds, by the seed."""

from pathlib import Path

import pytest

from workers.proof.asked import Asked
from workers.proof.quitter import patience

RUNS = [f"r{n}" for n in range(200)]


def asked(orders: int, seed: int = 1) -> Asked:
    """A proof with so many orders a run."""
    return Asked(
        team="x",
        rounds=1,
        first_round=1,
        seed=seed,
        runs=1,
        cancelled=1,
        orders=orders,
        faults=1,
        workers=1,
        patience=10,
        database=None,
        folder=Path(),
    )


@pytest.mark.parametrize(("orders", "most"), [(1, 4), (4, 16)])
def test_in_the_middle(orders: int, most: int) -> None:
    """Four deeds an order: every number of them but none."""
    assert set(patience(asked(orders), 1, RUNS).values()) == set(range(1, most + 1))


def test_the_same_again() -> None:
    """The same seed and round give the same numbers, others give others."""
    first = list(patience(asked(4), 1, RUNS).values())
    assert list(patience(asked(4), 1, RUNS).values()) == first
    assert list(patience(asked(4), 2, RUNS).values()) != first
    assert list(patience(asked(4, seed=2), 1, RUNS).values()) != first
    assert patience(asked(4), 1, []) == {}
