"""The example that ships with Remit: every kind of difference, and exactly two things for a person."""

import runpy
from pathlib import Path

import pytest

from agents.tools.builtin.reconcile.columns import prepare
from agents.tools.builtin.reconcile.identity import check
from agents.tools.builtin.reconcile.matching import Matching, match
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.tables.reading import read_table

EXAMPLE = Path(__file__).parents[3] / "examples" / "reconcile"


@pytest.fixture(scope="module")
def looks() -> list[Matching]:
    """The looks taken until no looser one would find more."""
    prepared = prepare(read_table(EXAMPLE / "ledger.csv"), read_table(EXAMPLE / "bank.csv"))
    taken = [match(prepared.left, prepared.right, MatchOptions.of("strict"), prepared.assumptions)]
    while taken[-1].next_look:
        options = MatchOptions.of(taken[-1].next_look)
        taken.append(match(prepared.left, prepared.right, options, prepared.assumptions))
    assert all(check(prepared.left, prepared.right, one.result) == [] for one in taken)
    return taken


def test_the_files_are_those_that_the_script_writes(tmp_path: Path) -> None:
    """What is checked in is what `make.py` makes, byte for byte."""
    runpy.run_path(str(EXAMPLE / "make.py"))["main"](tmp_path)
    for name in ("ledger.csv", "bank.csv"):
        assert (tmp_path / name).read_bytes() == (EXAMPLE / name).read_bytes()


def test_a_strict_look_is_not_enough(looks: list[Matching]) -> None:
    """Payments without reference make the agent look a second time, and no third."""
    assert [one.next_look for one in looks] == ["normal", None]


def test_every_kind_of_difference_is_found(looks: list[Matching]) -> None:
    """All breaks and groups that the script puts in, and no others."""
    summary = looks[-1].summary
    assert {one.kind: one.breaks for one in summary.by_kind} == {
        "missing_in_right": 7 + 2,
        "missing_in_left": 5 + 1,
        "amount": 6 + 4 + 3 + 4 + 3 + 1,
        "duplicate": 6,
        "currency": 2,
        "date": 4,
    }
    assert {(one.rule, one.kind): one.links for one in summary.by_rule} == {
        ("reference", "match"): 216,
        ("amount", "match"): 20,
        ("reference_group", "grouped"): 3 + 5,
    }
    assert {bridge.currency for bridge in summary.bridges} == {"EUR", "CHF", "USD"}


def test_two_things_are_for_a_person(looks: list[Matching]) -> None:
    """The large difference first, then the payment that fits two invoices."""
    first, second = looks[-1].questions
    assert "12480.00 EUR) and bank.csv row" in first.text
    assert "differ by 3306.40 EUR" in first.text
    assert [choice.value for choice in first.choices][-2:] == ["not_the_same", "keep_open"]
    assert second.text.endswith("each fits, and no rule separates them. Which belong together?")
    assert [choice.value.partition(":")[0] for choice in second.choices] == ["link", "link", "keep_open"]
