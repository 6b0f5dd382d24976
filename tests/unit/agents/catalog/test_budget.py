"""The `[budget]` of a team file: amounts as people write them, mistakes in one line."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from agents.catalog import load_team, pin, unpin
from orchestrator.domain.budget import Allowance, TeamBudget
from orchestrator.errors import TeamError

TEAM = '\n[agents.reader]\ninstructions_text = "Read."\n'


@pytest.fixture
def with_budget(tmp_path: Path) -> Callable[[str], Path]:
    """Write a team file with this section."""

    def write(section: str) -> Path:
        path = tmp_path / "team.toml"
        path.write_text(f'name = "survey"\n{TEAM}\n{section}', encoding="utf-8")
        return path

    return write


def test_amounts_in_one_line(with_budget: Callable[[str], Path]) -> None:
    """Dollars, tokens, steps and time, exact; they are pinned with the run and told to the engine."""
    section = '[budget]\nmonth = "50.10 USD, 2_000_000 tokens"\nrun = "90 steps, 1.5 hours"\non_limit = "ask"\n'
    team = unpin(pin(load_team(str(with_budget(section)))))
    assert team.rules().budget == TeamBudget(
        run=Allowance(steps=90, seconds=5400),
        month=Allowance(cost=Decimal("50.1"), tokens=2_000_000),
        on_limit="ask",
    )


def test_amounts_as_a_table(with_budget: Callable[[str], Path]) -> None:
    """The same, a key each; a float is the decimal that is written."""
    section = "[budget.month]\ncost = 0.1\ntokens = 7\n"
    assert load_team(str(with_budget(section))).budget.month == Allowance(cost=Decimal("0.1"), tokens=7)


def test_without_the_section_there_is_no_limit(with_budget: Callable[[str], Path]) -> None:
    """And nothing is said about what happens at one."""
    assert load_team(str(with_budget(""))).budget == TeamBudget()


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ('month = "50 dollars"', "team.toml: budget.month: `50 dollars` is no amount. Write it like `50 USD`"),
        ('month = "-1 USD"', "budget.month: `-1 USD` is no amount"),
        ('month = "0 USD"', "budget.month: `0 USD` is out of range"),
        ('month = "1 USD, 2 USD"', "budget.month: `2 USD`: cost is given twice"),
        ("month = {cost = -1}", "budget.month.cost: input should be greater than 0, not `-1`"),
        ("month = 50", "budget.month: an amount has a unit, not `50`. Write it like `50 USD`"),
        ("run = true", "budget.run: an amount has a unit, not `true`. Write it like `50 USD`"),
        ('month = ""', "budget.month: `` is no amount. Write it like `50 USD` or `50 USD, 2000000 tokens`."),
        ("run = {steps = true}", "budget.run.steps: write a number, not `true`"),
        ("week = 5", "budget.week: there is no such key"),
        ('on_limit = "wait"', "budget.on_limit: input should be 'stop' or 'ask', not `wait`"),
    ],
)
def test_a_mistake_is_one_line(with_budget: Callable[[str], Path], section: str, told: str) -> None:
    """With the file and the key."""
    with pytest.raises(TeamError) as caught:
        load_team(str(with_budget(f"[budget]\n{section}\n")))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
