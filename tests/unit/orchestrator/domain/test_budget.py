"""Budgets: exact units, who counts where, how much is drawn at once, and how people write and read amounts."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.domain.budget import Account, Allowance, Kind, Purse, Refusal, Shared, Tariff, accounts, slab
from orchestrator.domain.budget_words import allowance, no_price, price, reached, set_in, shown, tariff, whose
from orchestrator.errors import ConfigError

JULY = Shared("acme", "demo", "2026-07", of_team=Allowance(tokens=500), of_tenant=Allowance(cost=Decimal(3)))


def test_limits_in_the_units_they_are_counted_in() -> None:
    """Picodollars and milliseconds; a fraction of a picodollar cannot be written."""
    allowed = Allowance(cost=Decimal("0.000000000001"), steps=4, seconds=0.5)
    assert allowed.most() == {Kind.MONEY: 1, Kind.STEPS: 4, Kind.TIME: 500}
    assert Allowance().most() == {}
    for wrong in ({"cost": "0.0000000000001"}, {"cost": 0}, {"cost": "1000001"}, {"tokens": 0}, {"seconds": -1}):
        with pytest.raises(ValidationError):
            Allowance.model_validate(wrong)


def test_accounts_stand_before_their_parents() -> None:
    """Each kind has the accounts from the run up to the highest that limits it, and no other."""
    tenant, team = "tenant:acme/2026-07", "team:acme/demo/2026-07"
    assert accounts("r1", Allowance(tokens=9, steps=2), JULY) == (
        Account("r1", Kind.MONEY, team, None),
        Account(team, Kind.MONEY, tenant, None),
        Account(tenant, Kind.MONEY, None, 3 * 10**12),
        Account("r1", Kind.STEPS, None, 2),
        Account("r1", Kind.TOKENS, team, 9),
        Account(team, Kind.TOKENS, None, 500),
    )


@given(st.integers(1, 10**9), st.integers(1, 10**12))
def test_a_slab_is_enough_and_leaves_others_room(need: int, free: int) -> None:
    """What is needed where it is there; more only while that is a small part of what is free."""
    drawn = slab(need, free)
    assert drawn <= free
    assert drawn >= min(need, free)
    assert drawn <= max(need, free // 32)
    assert drawn <= 8 * need


def test_a_tariff_counts_exactly() -> None:
    """The standard price is 15 and 75 dollars for a million tokens."""
    assert Purse().tariff.of(1000, 100) == 22_500_000_000
    assert price(Purse().tariff) == "15/75 USD per million tokens"
    assert tariff("0.25/1") == Tariff(input=250_000, output=1_000_000)
    assert tariff("3") == Tariff(input=3_000_000, output=3_000_000)
    for wrong in ("", "cheap", "-1", "1/2/3", "0.0000001", "1e3"):
        with pytest.raises(ConfigError, match="is no price"):
            tariff(wrong, "REMIT_WORST_PRICE")


def test_no_call_can_cost_more_than_is_counted_in() -> None:
    """Nine million tokens at the dearest price fit into the 64 bits of a row; a dearer one is refused."""
    dearest = tariff("1000000/1000000")
    assert dearest.of(9_000_000, 0) < 2**63
    for wrong in ("1000000.000001", "1/99999999999999999999"):
        with pytest.raises(ConfigError, match="is out of range"):
            tariff(wrong, "REMIT_WORST_PRICE")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("50 USD", Allowance(cost=Decimal(50))),
        ("0.10usd", Allowance(cost=Decimal("0.1"))),
        ("50 USD, 2_000_000 tokens", Allowance(cost=Decimal(50), tokens=2_000_000)),
        ("1 step,3 hours", Allowance(steps=1, seconds=10_800)),
        ("90s", Allowance(seconds=90)),
    ],
)
def test_amounts_are_read_as_people_write_them(text: str, meant: Allowance) -> None:
    """To the last digit."""
    assert allowance(text) == meant


@pytest.mark.parametrize("text", ["", "50", "USD", "50 EUR", "1,000 USD", "5 tokens 3 steps", "1.5 tokens", "1 USD,"])
def test_what_is_no_amount_is_said(text: str) -> None:
    """In one line with the name of the setting."""
    with pytest.raises(ConfigError) as caught:
        allowance(text, "REMIT_BUDGET_MONTH")
    assert str(caught.value).startswith("REMIT_BUDGET_MONTH: `")
    assert "\n" not in str(caught.value)


def test_a_refusal_says_whose_limit_it_was() -> None:
    """With what is used and what was wanted, in the units that people use."""
    money = Refusal("team:acme/demo/2026-07", Kind.MONEY, 5 * 10**12, 499 * 10**10, 25 * 10**9, busy=False)
    assert reached(money) == (
        "The limit of team demo for 2026-07 of 5 USD is reached: 4.99 USD used, and the next call may need 0.025 USD."
    )
    tokens = Refusal("r1", Kind.TOKENS, 10_000, 9_000, 1_024, busy=True)
    assert reached(tokens).startswith("The limit of the run of 10,000 tokens is reached: 9,000 tokens used")
    assert (money.of_run, tokens.of_run) == (False, True)
    assert shown(Kind.TIME, 61_500) == "61.5 s"
    assert (shown(Kind.STEPS, 1), shown(Kind.STEPS, 2), shown(Kind.TOKENS, 1)) == ("1 step", "2 steps", "1 token")


def test_whose_limit_it_is_and_where_it_is_set() -> None:
    """An installation has one tenant, which nobody has to know; a host with several has them by name."""
    ids = ("r1", "team:local/demo/2026-07", "tenant:local/2026-07", "tenant:acme/2026-07")
    assert [whose(one) for one in ids] == [
        "The limit of the run",
        "The limit of team demo for 2026-07",
        "The limit of the installation for 2026-07",
        "The limit of tenant acme for 2026-07",
    ]
    assert set_in(ids[1]) == "`month` under [budget] in the team's file"
    assert set_in(ids[2]) == "REMIT_BUDGET_MONTH"


def test_a_model_without_a_price_is_named() -> None:
    """With what it counts at, where something is counted; and in the sentence about the limit."""
    assert no_price(["m"]) == "m has no known price"
    at = no_price(["m", "n"], price(tariff("15/75")))
    assert at == "m, n have no known price and count at 15/75 USD per million tokens"
    refusal = Refusal("r1", Kind.MONEY, 10**10, 0, 2 * 10**11, busy=False, basis=no_price(["m"], "15/75 USD"))
    assert reached(refusal).endswith("may need 0.2 USD: m has no known price and counts at 15/75 USD.")
