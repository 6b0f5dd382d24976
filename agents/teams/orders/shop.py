"""The shop file: its orders, and where refunds are booked."""

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator, model_validator
from rapidfuzz import process

from agents.errors import ToolError
from orchestrator.domain.record import Record

Amount = Annotated[Decimal, Field(ge=0, decimal_places=2, max_digits=15)]
OrderState = Literal["open", "shipped", "delivered", "returned", "cancelled"]
_HINT = "Ask for a shop file as docs/teams.md describes it."


class Item(Record):
    """One line of an order."""

    article: Annotated[str, Field(min_length=1)]
    pieces: Annotated[int, Field(ge=1)]
    price: Amount
    """Of one piece."""


class Order(Record):
    """One order."""

    number: Annotated[str, Field(min_length=1, max_length=60)]
    customer: str = ""
    placed: date
    state: OrderState
    paid: Amount
    """What the customer has paid so far; 0: nothing."""
    items: Annotated[tuple[Item, ...], Field(min_length=1)]

    @property
    def total(self) -> Decimal:
        """What the order costs."""
        return sum((item.pieces * item.price for item in self.items), Decimal(0))

    @model_validator(mode="after")
    def _not_overpaid(self) -> "Order":
        if self.paid > self.total:
            raise ValueError(f"{self.paid} was paid for an order of {self.total}")
        return self


class Shop(Record):
    """The whole file."""

    name: str = "the shop"
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "EUR"
    refunds: Path | None = None
    """The absolute path of the ledger that refunds are booked in, on a disk that all workers share; left out: refunds
    are rehearsed, in a ledger of the run's own, and nothing is paid out."""
    orders: tuple[Order, ...]

    @field_validator("refunds")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_absolute():
            raise ValueError("the path has to be absolute, because workers run anywhere")
        return value

    @field_validator("orders")
    @classmethod
    def _each_once(cls, value: tuple[Order, ...]) -> tuple[Order, ...]:
        numbers = [_folded(order.number) for order in value]
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        if twice:
            raise ValueError(f"the order {twice[0]} stands there twice")
        return value

    def order(self, number: str) -> Order:
        """The order of this number, `a1001` for `A-1001` too. Raises ToolError."""
        for one in self.orders:
            if _folded(one.number) == _folded(number):
                return one
        near = process.extract(number, [one.number for one in self.orders], limit=3, score_cutoff=80)
        names = " or ".join(found for found, _, _ in near)
        hint = f"Perhaps {names}; ask which is meant, do not guess." if names else "Say that there is no such order."
        raise ToolError("unknown_order", f"{self.name} has no order `{number[:60]}`", hint=hint)


def read_shop(path: Path) -> Shop:
    """The shop in a file. Raises ToolError in one sentence."""
    try:
        return Shop.model_validate(json.loads(path.read_text("utf-8-sig"), parse_float=Decimal))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ToolError("unusable_input", "the shop file is no JSON", hint=_HINT) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        what = str(first["msg"]).removeprefix("Value error, ")
        raise ToolError("unusable_input", f"the shop file: {_spoken(first['loc'])}: {what}", hint=_HINT) from error


def _spoken(place: Sequence[int | str]) -> str:
    return ".".join(str(part) for part in place) or "the whole"


def _folded(number: str) -> str:
    return "".join(sign for sign in number.casefold() if sign.isalnum())
