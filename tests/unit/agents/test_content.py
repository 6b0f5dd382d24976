"""What tools return, as JSON: exact values survive, what JSON cannot hold is refused with its path."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from agents import content
from agents.content import decimal_text, dumps, plain
from agents.errors import ToolError


class Colour(Enum):
    """An enum of a tool."""

    RED = "red"


class Money(BaseModel):
    """A pydantic model of a tool."""

    amount: Decimal
    when: date


@dataclass(frozen=True, slots=True)
class Row:
    """A dataclass of a tool."""

    number: int
    money: Money
    tags: frozenset[str]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("1200.50"), "1200.50"),
        (Decimal("1E+3"), "1000"),
        (Decimal("-0.00"), "-0.00"),
        (Decimal("1E-7"), "0.0000001"),
        (date(2026, 1, 31), "2026-01-31"),
        (datetime(2026, 1, 31, 12, 5, tzinfo=UTC), "2026-01-31T12:05:00+00:00"),
        (time(7, 30), "07:30:00"),
        (timedelta(days=1, microseconds=500_000), "86400.5 s"),
        (Colour.RED, "red"),
        (PurePosixPath("a/b.csv"), "a/b.csv"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ((1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        ({1: "x", date(2026, 1, 2): None, Decimal("1.5"): True}, {"1": "x", "2026-01-02": None, "1.5": True}),
        (Money(amount=Decimal("0.10"), when=date(2026, 2, 1)), {"amount": "0.10", "when": "2026-02-01"}),
        (
            Row(3, Money(amount=Decimal(5), when=date(2026, 2, 1)), frozenset({"é"})),
            {"number": 3, "money": {"amount": "5", "when": "2026-02-01"}, "tags": ["é"]},
        ),
        ("half \ud83d a character", "half \ufffd a character"),
        (2**70, 2**70),
    ],
)
def test_writes_values_exactly(value: Any, expected: Any) -> None:
    """Decimals and dates become text, compound values become lists and objects, nothing is rounded."""
    assert plain(value) == expected
    assert json.loads(dumps(plain(value))) == expected


def test_keeps_every_script_readable() -> None:
    """Chinese stays Chinese: no `\\u` escapes in what is stored and read."""
    assert dumps(plain({"名称": "上海 – ¥"})) == '{"名称":"上海 – ¥"}'


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"rows": [{"amount": float("nan")}]}, "`data.rows[0].amount` is nan"),
        ([1.0, float("-inf")], "`data[1]` is -inf"),
        ({"a": Decimal("NaN")}, "`data.a` is NaN"),
        ({"a": Decimal("Infinity")}, "`data.a` is Infinity"),
        ({"file": b"\x00"}, "`data.file` is bytes"),
        ({"a": [object()]}, "`data.a[0]` is a `object`"),
        ({"a": 10**5000}, "`data.a` is a number of more than 4,000 digits"),
        ({1: "a", "1": "b"}, "`data` has two keys that are both written `1`"),
        ({("a", "b"): 1}, "`data` has a key that is a `tuple`"),
    ],
)
def test_refuses_what_json_cannot_hold(value: Any, told: str) -> None:
    """NaN, infinity, bytes and foreign objects are refused with the path to them; a repetition would not help."""
    with pytest.raises(ToolError) as caught:
        plain(value)
    assert caught.value.code == "unstorable_result"
    assert told in caught.value.what
    assert not caught.value.retryable


def test_refuses_a_value_that_contains_itself() -> None:
    """A cycle is an error with a path, not an endless loop."""
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with pytest.raises(ToolError, match="nested deeper than 60 levels, or contains itself"):
        plain(loop)


def test_refuses_a_result_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit counts bytes, so that Chinese cannot pass it threefold; the hint says to ask for less."""
    monkeypatch.setattr(content, "LARGEST", 100)
    assert len(dumps("x" * 98)) == 100
    for text in ("x" * 99, "上" * 33):
        with pytest.raises(ToolError) as caught:
            dumps(text)
        assert caught.value.code == "too_large"
        assert not caught.value.retryable
        assert "less at once" in str(caught.value.mend)


@pytest.mark.parametrize(("value", "text"), [("1E+200", "1E+200"), ("-1.50E-120", "-1.50E-120"), ("0E-2", "0.00")])
def test_writes_extreme_decimals_with_an_exponent(value: str, text: str) -> None:
    """A number of a thousand zeros stays short, and equal."""
    assert decimal_text(Decimal(value)) == text
    assert Decimal(text) == Decimal(value)
