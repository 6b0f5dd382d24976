"""Hits are counted across threads and processes without a lock, and a round meets no more faults than it may."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workers.chaos.hits import Hits
from workers.chaos.plan import Plan
from workers.chaos.points import POINTS, SHARES

NAMES = {
    "rows": "claim.before",
    "wake-ups": "receive",
    "calls": "tool.begun",
    "undoing": "back.done",
    "ends": "commit.end.after",
    "outside": "outside.workers",
}
"""A point of each family."""
POINT = POINTS["commit.step.before"]


def _plan(most: int) -> Plan:
    return Plan(seed=3, round=1, most=most, rate=10**6, stop_seconds=1)


def test_every_hit_has_its_number(tmp_path: Path) -> None:
    """400 hits of two processes with four threads each: 400 numbers, and what they met is what the plan says."""
    hits, plan = Hits(tmp_path), _plan(10**6)

    def hit(count: int) -> None:
        for _ in range(count):
            hits.hit(POINT, plan, os.getpid())

    child = os.fork()
    if child == 0:
        for _ in range(200):
            hits.hit(POINT, plan, os.getpid())
        os._exit(0)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(hit, [50] * 4))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    met = hits.met()
    assert sorted(one.hit for one in met) == list(range(400))
    assert all(one.fault == plan.fault(POINT, one.hit) for one in met)
    assert {one.pid for one in met} == {child, os.getpid()}
    tally = hits.tallies()[POINT.name]
    assert (tally.hits, sum(tally.faults.values())) == (400, 400)


@pytest.mark.parametrize("most", [0, 1, 20])
def test_no_more_than_its_share(tmp_path: Path, most: int) -> None:
    """Once a family has met its share, the other hits are counted and meet nothing."""
    hits, plan = Hits(tmp_path), _plan(most)
    for _ in range(50):
        for name in NAMES.values():
            hits.hit(POINTS[name], plan, 1)
    tallies = hits.tallies()
    shares = {family: min(50, plan.share(family)) for family in SHARES}
    assert {family: sum(tallies[name].faults.values()) for family, name in NAMES.items()} == shares
    assert {tallies[name].hits for name in NAMES.values()} == {50}


def test_reading_goes_on(tmp_path: Path) -> None:
    """A reader that knows some faults is given those after them."""
    hits, plan = Hits(tmp_path), _plan(100)
    assert hits.met() == ()
    for _ in range(3):
        hits.hit(POINT, plan, 7)
    assert [one.hit for one in hits.met(1)] == [1, 2]
    assert [one.pid for one in hits.met()] == [7, 7, 7]
