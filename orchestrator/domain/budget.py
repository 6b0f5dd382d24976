"""Budgets: what may be used, by a run, by a team in a month and by a tenant in a month, in exact whole numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from orchestrator.domain.record import Record


class Kind(StrEnum):
    """What is counted. Money in picodollars (a token costs some millionths of a dollar), time in milliseconds."""

    MONEY = "money"
    STEPS = "steps"
    TIME = "time"
    TOKENS = "tokens"


PICODOLLARS = 10**12
OnLimit = Literal["stop", "ask"]
"""At a limit: end with what is known, or ask a person for more."""

IN_PART = frozenset({Kind.TIME})
"""Nobody knows beforehand how long a step takes: it begins while any time is left."""


class Allowance(Record):
    """How much may be used; None: no limit of that kind."""

    cost: Annotated[Decimal | None, Field(gt=0, le=1_000_000, decimal_places=12)] = None
    """US dollars for model calls."""
    tokens: Annotated[int | None, Field(ge=1, le=10**15)] = None
    """Input and output tokens of all model calls."""
    steps: Annotated[int | None, Field(ge=1, le=10**12)] = None
    """Steps of all subtasks together."""
    seconds: Annotated[float | None, Field(gt=0, le=10**10)] = None
    """Working time of all subtasks together, waits not counted."""

    def most(self) -> Mapping[Kind, int]:
        """The limits that there are, in the units they are counted in."""
        given = {
            Kind.MONEY: None if self.cost is None else picodollars(self.cost),
            Kind.STEPS: self.steps,
            Kind.TIME: None if self.seconds is None else max(1, round(self.seconds * 1000)),
            Kind.TOKENS: self.tokens,
        }
        return {kind: most for kind, most in given.items() if most is not None}


class Tariff(Record):
    """What a token of a model without a known price counts, in picodollars."""

    input: Annotated[int, Field(ge=0, le=PICODOLLARS)]
    output: Annotated[int, Field(ge=0, le=PICODOLLARS)]

    def of(self, input_tokens: int, output_tokens: int) -> int:
        """Picodollars of a call."""
        return self.input * input_tokens + self.output * output_tokens


class TeamBudget(Record):
    """What a team allows each of its runs by itself, and what it may use in a calendar month (UTC)."""

    run: Allowance = Allowance()
    month: Allowance = Allowance()
    on_limit: OnLimit | None = None


class Purse(Record):
    """What the installation allows: each tenant in a month, and what a call without a known price counts."""

    month: Allowance = Allowance()
    tariff: Tariff = Tariff(input=15 * 10**6, output=75 * 10**6)


@dataclass(frozen=True, slots=True)
class Amounts:
    """An amount of each kind."""

    money: int = 0
    steps: int = 0
    time: int = 0
    tokens: int = 0

    def of(self, kind: Kind) -> int:
        """The amount of one kind."""
        match kind:
            case Kind.MONEY:
                return self.money
            case Kind.STEPS:
                return self.steps
            case Kind.TIME:
                return self.time
            case Kind.TOKENS:
                return self.tokens


@dataclass(frozen=True, slots=True)
class Account:
    """Who may use how much of one kind: `most` is its own limit; what it uses it draws from its parent, if any."""

    id: str
    kind: Kind
    parent: str | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an account stands: what it has used, and what it has set aside for those below it or a call in flight."""

    id: str
    kind: Kind
    most: int | None
    held: int | None
    """What it has drawn from its parent; None: the parent does not limit it."""
    spent: int
    reserved: int
    on_limit: OnLimit
    asks: int
    """How often a person has decided about its limit."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call cannot be paid for. `busy`: others have set the rest aside, it may be free again in a moment."""

    account: str
    kind: Kind
    most: int
    spent: int
    need: int
    busy: bool
    on_limit: OnLimit = "stop"
    asks: int = 0
    basis: str = ""
    """Why so much is needed, where no known price says it."""

    @property
    def of_run(self) -> bool:
        """True when the run's own limit is reached, not its team's or tenant's."""
        return ":" not in self.account


@dataclass(frozen=True, slots=True)
class Shared:
    """What a run shares with others: its team's and its tenant's month. A run counts where it was handed in."""

    tenant: str
    team: str
    month: str
    """`2026-07`."""
    of_team: Allowance
    of_tenant: Allowance

    def accounts(self) -> tuple[tuple[str, Allowance], ...]:
        """The team's and the tenant's account, and what each allows."""
        team, tenant = f"team:{self.tenant}/{self.team}/{self.month}", f"tenant:{self.tenant}/{self.month}"
        return (team, self.of_team), (tenant, self.of_tenant)

    def unlimited(self) -> Mapping[str, frozenset[Kind]]:
        """Account → the kinds that it does not limit, or no longer."""
        return {id_: frozenset(Kind) - allowed.most().keys() for id_, allowed in self.accounts()}


def accounts(run_id: str, own: Allowance, shared: Shared) -> tuple[Account, ...]:
    """The accounts that a run's calls are counted in, by kind, each before its parent; none: nothing limits the run."""
    found: list[Account] = []
    for kind in Kind:
        chain: list[Account] = []
        for id_, allowed in (*reversed(shared.accounts()), (run_id, own)):
            most = allowed.most().get(kind)
            if chain or most is not None:
                chain.append(Account(id_, kind, chain[-1].id if chain else None, most))
        found += reversed(chain)
    return tuple(found)


def slab(need: int, free: int) -> int:
    """How much is drawn at once: for some calls ahead while there is plenty, what is needed when it is short."""
    return min(free, max(need, min(8 * need, free // 32)))


def picodollars(dollars: Decimal) -> int:
    """Dollars as they are counted; fractions of a picodollar are rounded up."""
    return int((dollars * PICODOLLARS).to_integral_value(rounding="ROUND_CEILING"))
