"""The keeper knows, without asking anybody, when its worker's lease is not surely its own any more."""

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from workers.keeper import SWEEP_SECONDS, Keeper, pause

LEASE = 30.0
SHORT = 0.2
BUSY_MICROSECONDS = 300_000


@pytest.fixture
def keep() -> Callable[[float], Keeper]:
    """Makes a keeper that has nobody to ask."""
    nobody: Any = cast("Any", None)

    def made(lease: float) -> Keeper:
        return Keeper(
            store=nobody,
            sweeper=nobody,
            runner=nobody,
            worker_id="w1",
            lease_seconds=lease,
            broker=nobody,
            pool=nobody,
        )

    return made


def test_a_process_that_was_busy_for_longer_than_its_lease(keep: Callable[[float], Keeper]) -> None:
    """Native code held the GIL, so that nothing could renew the lease: what comes after it knows at once."""
    short, long = keep(SHORT), keep(3600.0)
    ctypes.PyDLL(None).usleep(BUSY_MICROSECONDS)
    assert not short.holds
    assert long.holds


@pytest.mark.parametrize(
    ("steady", "wall", "holds"),
    [
        (LEASE - 1, LEASE - 1, True),
        (LEASE, LEASE, False),
        (1.0, 86_400.0, False),
        (1.0, -86_400.0, True),
        (LEASE, -86_400.0, False),
        (0.0, LEASE, False),
    ],
    ids=["in time", "late", "put ahead", "put back", "put back and late", "the machine slept"],
)
def test_a_clock_that_jumps(
    keep: Callable[[float], Keeper], monkeypatch: pytest.MonkeyPatch, steady: float, wall: float, *, holds: bool
) -> None:
    """Of two clocks the one that says less counts: a lease is given up too early rather than too late."""
    now = SimpleNamespace(monotonic=lambda: 1000.0, time=lambda: 1e9)
    monkeypatch.setattr("workers.keeper.time", now)
    keeper = keep(LEASE)
    now.monotonic, now.time = lambda: 1000.0 + steady, lambda: 1e9 + wall
    assert keeper.holds is holds


def test_workers_that_began_together_do_not_sweep_together() -> None:
    """Each pause is another one, of two seconds more or less."""
    pauses = [pause() for _ in range(100)]
    assert all(0.6 * SWEEP_SECONDS < one < 1.4 * SWEEP_SECONDS for one in pauses)
    assert max(pauses) - min(pauses) > 0.1 * SWEEP_SECONDS
