"""The meter sets aside the worst that a call may cost, and learns what it really sends."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from agents.models.base import Call, Message, ModelRequest, ToolSpec
from orchestrator.domain.finding import Ending
from orchestrator.ports.clock import Deadline
from workers.errors import LimitReachedError
from workers.meter import TurnMeter
from workers.metered_model import request_size

Reserved = Callable[[], dict[str, tuple[int, int]]]
Make = Callable[..., TurnMeter]


def test_a_call_whose_size_is_unknown_counts_two_bytes_a_token(meter: Make, reserved: Reserved) -> None:
    """And the longest reply; money at the tariff of 1 and 2 picodollars, since the model has no price."""
    meter(tokens=10_000, cost=Decimal(1), steps=5, seconds=9).set_aside("m", 1, 1000)
    assert reserved() == {"money": (0, 501 + 200), "steps": (0, 1), "time": (0, 2000), "tokens": (0, 601)}


def test_a_later_call_counts_what_was_counted_and_what_is_new(meter: Make, reserved: Reserved) -> None:
    """The transcript only grows at its end: 300 tokens were sent for the first 1,000 bytes."""
    counting = meter(tokens=10_000)
    counting.set_aside("m", 1, 1000)
    counting.took(1000, 300)
    counting.set_aside("m", 1, 1400)
    assert reserved() == {"tokens": (0, 300 + 200 + 1 + 100)}
    counting.took(1400, 0)
    counting.set_aside("m", 1, 1400)
    assert reserved() == {"tokens": (0, 701 + 100)}


def test_who_is_refused_for_a_price_that_nobody_knows_is_told(meter: Make) -> None:
    """Nothing else explains what the call may need; a known price, or another kind of limit, explains itself."""

    def dear(*_: Any) -> str:
        return "5"

    with pytest.raises(LimitReachedError, match=r"0\.000000000701 USD: m has no known price and counts at 0\.000001/"):
        meter(cost=Decimal("0.0000000001")).set_aside("m", 1, 1000)
    with pytest.raises(LimitReachedError, match=r"the next call may need 5 USD\.$"):
        meter(cost=Decimal(1), price=dear).set_aside("m", 1, 1000)
    with pytest.raises(LimitReachedError, match=r"the next call may need 601 tokens\.$"):
        meter(cost=Decimal(1), tokens=100).set_aside("m", 1, 1000)


def test_a_known_price_is_exact(meter: Make, reserved: Reserved) -> None:
    """Of the model that is asked, for the most tokens there may be."""
    asked: list[tuple[str, int, int]] = []

    def price(model: str, input_tokens: int, output_tokens: int) -> str | None:
        asked.append((model, input_tokens, output_tokens))
        return "0.0000000123"

    meter(price=price, cost=Decimal("0.01")).set_aside("gpt-4o", 1, 20)
    assert asked == [("gpt-4o", 11, 100)]
    assert reserved() == {"money": (0, 12_300)}


def test_no_price_is_looked_up_where_money_is_not_limited(meter: Make, reserved: Reserved) -> None:
    """Looking one up takes as long as reading the price lists."""

    def price(*_: Any) -> str | None:
        raise AssertionError

    meter(price=price, tokens=1000).set_aside("gpt-4o", 1, 20)
    assert reserved() == {"tokens": (0, 111)}


def test_a_playbook_takes_no_tokens(meter: Make, reserved: Reserved) -> None:
    """Only a step and time."""
    meter(most_output=None, tokens=1, cost=Decimal("0.000001"), steps=1).set_aside("playbook", 1, 10**6)
    assert reserved() == {"money": (0, 0), "steps": (0, 1), "tokens": (0, 0)}


def test_a_call_that_is_not_the_last_leaves_enough_for_one(meter: Make, reserved: Reserved) -> None:
    """It has to be free, and is neither set aside nor charged."""
    counting = meter(tokens=601 + (601 + 2_000 + 100))
    counting.set_aside("m", 1, 1000, last=False)
    assert reserved() == {"tokens": (0, 601)}
    with pytest.raises(LimitReachedError, match="the next call may need 3,304 tokens") as caught:
        counting.set_aside("m", 1, 1002, last=False)
    assert (caught.value.ending, caught.value.final) == (Ending.TOKEN_LIMIT, True)
    counting.set_aside("m", 1, 1002)
    assert reserved() == {"tokens": (0, 602)}


def test_where_a_person_is_asked_at_a_limit_nothing_is_kept(meter: Make, reserved: Reserved) -> None:
    """The person may allow more, and the agent goes on with its tools."""
    counting = meter(tokens=601, on_limit="ask")
    counting.set_aside("m", 1, 1000, last=False)
    assert reserved() == {"tokens": (0, 601)}
    with pytest.raises(LimitReachedError) as caught:
        counting.set_aside("m", 1, 1002, last=False)
    assert not caught.value.final


def test_each_try_is_set_aside_anew_when_the_one_before_was_lost(meter: Make, reserved: Reserved) -> None:
    """A lost one may have been paid for; one that was refused has used nothing."""
    counting = meter(tokens=1000)
    counting.set_aside("m", 1, 400)
    counting.once_more()
    assert reserved() == {"tokens": (0, 301)}
    counting.lost()
    counting.lost()
    assert reserved() == {"tokens": (301, 0)}
    counting.once_more()
    assert reserved() == {"tokens": (301, 301)}
    counting.lost()
    counting.once_more()
    counting.lost()
    with pytest.raises(LimitReachedError, match="of 1,000 tokens is reached: 903 tokens used") as caught:
        counting.once_more()
    assert not caught.value.refusal.busy


def test_the_size_of_a_request() -> None:
    """All that a model reads of it, in bytes; Chinese has three a character."""
    messages = (Message("user", "你好"), Message("assistant", "ok", (Call("c1", "look", {"a": "é"}),), thought="hm"))
    tools = (ToolSpec("look", "Looks.", {"type": "object"}),)
    request = ModelRequest(messages, tools, 1, Deadline.after(1))
    assert request_size(request) == (6 + 24) + (2 + 2 + 24 + 4 + len('{"a": "é"}'.encode()) + 24) + (4 + 6 + 18 + 24)
