"""A round's plan gives the same faults for the same seed, rare points their share, and nothing beyond what it may."""

from collections import Counter
from pathlib import Path

import pytest

from orchestrator.errors import ConfigError
from workers.chaos.plan import PLAN_FILE, Plan, read_plan, write_plan
from workers.chaos.points import LETTERS, POINTS, SHARES


def _plan(seed: int = 1, most: int = 40) -> Plan:
    return Plan(seed=seed, round=1, most=most, stop_seconds=1)


@pytest.mark.parametrize("name", POINTS)
def test_faults_are_possible_ones(name: str) -> None:
    """Each point meets every fault that it may meet, sooner or later, and no other."""
    plan = _plan().model_copy(update={"rate": 10**6})
    met = Counter(plan.fault(POINTS[name], hit) for hit in range(2000))
    assert set(met) == set(POINTS[name].may)


def test_the_same_again() -> None:
    """The same seed, round, point and hit give the same fault; another seed another series."""

    def series(seed: int) -> list[str | None]:
        return [_plan(seed).fault(POINTS["commit.step.after"], hit) for hit in range(200)]

    assert series(5) == series(5)
    assert series(5) != series(6)


def test_often_hit_points_take_no_more() -> None:
    """A point that is hit 2,000 times meets a few faults only, most of them early."""
    hits = [hit for seed in range(50) for hit in range(2000) if _plan(seed).fault(POINTS["claim.before"], hit)]
    assert 50 * 4 < len(hits) < 50 * 9
    assert sum(1 for hit in hits if hit < 50) > len(hits) / 3


def test_every_family_has_its_share() -> None:
    """The shares of all families are a round's faults, rounded up; each point belongs to one of them."""
    plan = _plan(most=40)
    assert {family: plan.share(family) for family in SHARES} == {
        "rows": 10,
        "wake-ups": 4,
        "calls": 12,
        "undoing": 4,
        "ends": 4,
        "outside": 6,
    }
    assert {point.family for point in POINTS.values()} == set(SHARES)
    assert (POINTS["commit.intent.after"].family, POINTS["commit.step.after"].family) == ("calls", "rows")
    assert {name for name, point in POINTS.items() if point.family == "ends"} >= {"commit.end.before", "blob.after"}


def test_letters_are_distinct() -> None:
    """In the file of a point's hits each fault has a letter of its own, and a hit without one is a dot."""
    assert len({*LETTERS.values(), "."}) == len(LETTERS) + 1
    assert {fault for point in POINTS.values() for fault in point.may} == set(LETTERS)


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Also when the folder is made for it."""
    write_plan(_plan(7), tmp_path / "round")
    assert read_plan(tmp_path / "round") == _plan(7)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "no such file or directory"), ("", "it is no such plan"), ('{"seed": 1}', "it is no such plan")],
)
def test_a_setting_that_names_no_plan_is_one_line(tmp_path: Path, content: str | None, why: str) -> None:
    """Whoever has REMIT_CHAOS left in the environment is told its name and what to do."""
    file = tmp_path / PLAN_FILE
    if content is not None:
        file.write_text(content, "utf-8")
    with pytest.raises(ConfigError) as caught:
        read_plan(tmp_path)
    said = f"REMIT_CHAOS: no plan of faults can be read from `{file}` ({why}). Unset it: `remit chaos` sets it itself."
    assert str(caught.value) == said
