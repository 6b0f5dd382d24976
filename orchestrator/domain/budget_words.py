"""Budgets in words: how people write amounts and prices, and how they are told that a limit is reached."""

import re
from collections.abc import Sequence
from decimal import Decimal

from orchestrator.domain.budget import PICODOLLARS, Allowance, Kind, Refusal, Tariff
from orchestrator.domain.counting import counted
from orchestrator.domain.identity import LOCAL_TENANT
from orchestrator.errors import ConfigError

_PART = re.compile(r"(\d[\d_]*(?:\.\d+)?)\s*(USD|\$|tokens?|steps?|s|seconds?|h|hours?)", re.IGNORECASE)
_PRICE = re.compile(r"(\d+(?:\.\d{1,6})?)(?:/(\d+(?:\.\d{1,6})?))?")


def allowance(text: str, where: str | None = None) -> Allowance:
    """The allowance that is written as `50 USD` or `50 USD, 2_000_000 tokens, 3 hours`. Raises ConfigError."""
    given: dict[str, str | float] = {}
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        name, value = _amount(match) if match else ("", "")
        if not name or name in given:
            what = f"`{part.strip()}` is no amount" if not name else f"`{part.strip()}`: {name} is given twice"
            raise ConfigError(what, where=where, mend="Write it like `50 USD` or `50 USD, 2000000 tokens`.")
        given[name] = value
    try:
        return Allowance.model_validate(given)
    except ValueError:
        raise ConfigError(f"`{text}` is out of range", where=where, mend="Write it like `50 USD`.") from None


def _amount(match: re.Match[str]) -> tuple[str, str | float]:
    number, unit = match[1].replace("_", ""), match[2].lower()
    if unit in {"usd", "$"}:
        return "cost", number
    if unit.startswith("h"):
        return "seconds", float(number) * 3600
    return {"t": "tokens", "s": "steps" if unit.startswith("step") else "seconds"}[unit[0]], number


def tariff(text: str, where: str | None = None) -> Tariff:
    """The price that is written as dollars for a million tokens of input/output: `15/75`. Raises ConfigError."""
    match = _PRICE.fullmatch(text.strip())
    if match is None:
        mend = "Write dollars per million tokens of input and output, like `15/75`."
        raise ConfigError(f"`{text}` is no price", where=where, mend=mend)
    prices = [int(Decimal(part) * 10**6) for part in (match[1], match[2] or match[1])]
    if max(prices) > PICODOLLARS:
        mend = "Write at most 1000000 dollars for a million tokens."
        raise ConfigError(f"`{text}` is out of range", where=where, mend=mend)
    return Tariff(input=prices[0], output=prices[1])


def reached(refusal: Refusal) -> str:
    """One sentence: which limit is reached, what is used and what was asked for."""
    because = f": {refusal.basis}" if refusal.basis else ""
    return (
        f"{whose(refusal.account)} of {shown(refusal.kind, refusal.most)} is reached: "
        f"{shown(refusal.kind, refusal.spent)} used, "
        f"and the next call may need {shown(refusal.kind, refusal.need)}{because}."
    )


def no_price(models: Sequence[str], at: str = "") -> str:
    """That nobody knows what models cost; `at`: the price that their tokens count at in a limited run."""
    several = len(models) > 1
    counts = f" and {'count' if several else 'counts'} at {at}" if at else ""
    return f"{', '.join(models)} {'have' if several else 'has'} no known price{counts}"


def price(of: Tariff) -> str:
    """A tariff as people read it."""
    per_million = Decimal(PICODOLLARS) / 10**6
    return f"{plain(of.input / per_million)}/{plain(of.output / per_million)} USD per million tokens"


def shown(kind: Kind, amount: int) -> str:
    """An amount for people."""
    match kind:
        case Kind.MONEY:
            return f"{plain(Decimal(amount) / PICODOLLARS)} USD"
        case Kind.TIME:
            return f"{plain(Decimal(amount) / 1000)} s"
        case Kind.STEPS | Kind.TOKENS:
            return counted(amount, str(kind).removesuffix("s"))


def whose(account: str) -> str:
    """An account's limit in words."""
    level, _, rest = account.partition(":")
    names = rest.split("/")
    match level:
        case "team" if len(names) == 3:
            return f"The limit of team {names[1]} for {names[2]}"
        case "tenant" if len(names) == 2:
            who = "the installation" if names[0] == LOCAL_TENANT else f"tenant {names[0]}"
            return f"The limit of {who} for {names[1]}"
        case _:
            return "The limit of the run"


def set_in(account: str) -> str:
    """Where a limit that several runs share is written."""
    return "`month` under [budget] in the team's file" if account.startswith("team:") else "REMIT_BUDGET_MONTH"


def plain(number: Decimal) -> str:
    """Without an exponent and without noughts at the end."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
