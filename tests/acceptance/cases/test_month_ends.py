"""Month ends of every kind, from file to result: each row found where the truth says, and nothing asked in vain."""

import json
from collections.abc import Callable, Iterable, Sequence, Set
from decimal import Decimal
from pathlib import Path
from typing import Protocol

import pytest

from agents.tools.builtin.reconcile.columns import prepare
from agents.tools.builtin.reconcile.data import as_data
from agents.tools.builtin.reconcile.identity import check
from agents.tools.builtin.reconcile.matching import Matching, match
from agents.tools.builtin.reconcile.options import Look, MatchOptions
from agents.tools.builtin.reconcile.report import write_report
from agents.tools.builtin.reconcile.result import Break, Match
from agents.tools.builtin.tables.reading import read_table
from orchestrator.domain import evidence

WITH_REFERENCES = ("plain", "european", "accounting", "batches", "currencies", "signs", "chinese", "everything")
WITHOUT = ("noref", "noref_everything")
SEEDS = (1, 2, 3)

Rows = tuple[int, ...]


class Told(Protocol):
    """A match or a break of the truth."""

    kind: str
    left: Rows
    right: Rows
    twin: int | None


class MonthEnd(Protocol):
    """Two files and their truth."""

    left: Path
    right: Path
    rows: tuple[int, int]
    totals: tuple[Decimal, Decimal]
    matches: tuple[Told, ...]
    breaks: tuple[Told, ...]


Make = Callable[[str, int], MonthEnd]


def reconciled(case: MonthEnd) -> tuple[Matching, list[Look]]:
    """What an agent gets that looks strictly first, and again as long as a looser look would find more."""
    prepared = prepare(read_table(case.left), read_table(case.right))
    looks: list[Look] = ["strict"]
    while True:
        matching = match(prepared.left, prepared.right, MatchOptions.of(looks[-1]), prepared.assumptions)
        assert check(prepared.left, prepared.right, matching.result) == []
        if matching.next_look is None or matching.next_look in looks:
            return matching, looks
        looks.append(matching.next_look)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", WITH_REFERENCES)
def test_references_decide_at_first_look(kind: str, seed: int, month_end: Make) -> None:
    """With common references one strict look places all rows as the truth does."""
    case = month_end(kind, seed)
    matching, looks = reconciled(case)
    assert looks == ["strict"]
    _assert_true(case, matching, least_recall=0.97)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", WITHOUT)
def test_without_references_a_second_look_finds_the_rest(kind: str, seed: int, month_end: Make) -> None:
    """Without references the strict look says that a normal one would find more, and that one does."""
    case = month_end(kind, seed)
    matching, looks = reconciled(case)
    assert looks == ["strict", "normal"]
    _assert_true(case, matching, least_recall=0.85)


@pytest.mark.parametrize("kind", ["european", "accounting", "chinese", "everything", "noref_everything"])
def test_the_report_says_nothing_without_a_source(kind: str, month_end: Make) -> None:
    """The code that keeps figures without a source back lets the report of a month end through as it is."""
    matching, _ = reconciled(month_end(kind, 5))
    names = f"{matching.result.left.name} {matching.result.right.name}"
    text, missing = evidence.expand("{{E5.1/report.md}}", {"E5.1/report.md": write_report(matching)})
    assert missing == ()
    assert evidence.check(text, {"E5.1": json.loads(json.dumps(as_data(matching)))}, given=names) == ()


def _assert_true(case: MonthEnd, matching: Matching, least_recall: float) -> None:
    result = matching.result
    assert (result.left.rows, result.right.rows) == case.rows
    assert (sum(result.left.totals.values()), sum(result.right.totals.values())) == case.totals
    assert len(matching.questions) <= 3
    swap = _swapped_twins(case.breaks, result.breaks)
    links = {pair for found in result.matches for pair in _pairs(*_renamed(found, swap))}
    true_links = {pair for told in case.matches for pair in _pairs(told.left, told.right)}
    assert _share(links & true_links, links) >= 0.99
    assert _share(links & true_links, true_links) >= 0.99
    breaks = {(found.kind, *_renamed(found, swap)) for found in result.breaks}
    true_breaks = {(told.kind, told.left, told.right) for told in case.breaks}
    assert _share(breaks & true_breaks, breaks) >= 0.97
    assert _share(breaks & true_breaks, true_breaks) >= least_recall


def _swapped_twins(truth: Iterable[Told], breaks: Sequence[Break]) -> dict[tuple[str, int], int]:
    """Which of two equal bookings is told as the double does not matter: rename the other to it."""
    told = {("left", found.left) for found in breaks if found.kind == "duplicate" and found.left}
    told |= {("right", found.right) for found in breaks if found.kind == "duplicate" and found.right}
    swap: dict[tuple[str, int], int] = {}
    for one in truth:
        side, rows = ("left", one.left) if one.left else ("right", one.right)
        if one.twin is not None and (side, (one.twin,)) in told and (side, rows) not in told:
            swap[side, one.twin], swap[side, rows[0]] = rows[0], one.twin
    return swap


def _renamed(found: Match | Break, swap: dict[tuple[str, int], int]) -> tuple[Rows, Rows]:
    left = tuple(sorted(swap.get(("left", row), row) for row in found.left))
    return left, tuple(sorted(swap.get(("right", row), row) for row in found.right))


def _pairs(left: Rows, right: Rows) -> list[tuple[int, int]]:
    return [(one, other) for one in left for other in right]


def _share(some: Set[object], of: Set[object]) -> float:
    return len(some) / len(of) if of else 1.0
