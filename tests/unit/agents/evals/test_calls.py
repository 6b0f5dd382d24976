"""Calls are judged by name, by the arguments that matter, by their order and by what is forbidden."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.evals.calls import call_faults
from agents.evals.case import Expected
from agents.evals.trial import MadeCall

Made = Callable[..., MadeCall]


def faults(made: list[MadeCall], **expect: Any) -> list[str]:
    """What is wrong with these calls."""
    return list(call_faults(Expected.model_validate(expect), made))


def test_in_order_with_others_between(made: Made) -> None:
    """Each expected call after the one before; others may stand between."""
    calls = [made("look", at="a"), made("clock"), made("buy", article="chair", pieces=2)]
    assert faults(calls, calls=["look", {"tool": "buy", "arguments": {"article": "Chair"}}]) == []


def test_out_of_order(made: Made) -> None:
    """The first call that is not in its place is named, with what was called instead."""
    calls = [made("buy"), made("look", at="a")]
    assert faults(calls, calls=["look", "buy"]) == ["No call `buy()` after `look()`; made were buy(), look(at='a')."]
    assert faults(calls, calls=["look", "buy"], order="any") == []


def test_a_call_counts_once(made: Made) -> None:
    """Two expected calls need two calls, in any order as well."""
    for order in ("given", "any"):
        assert len(faults([made("look")], calls=["look", "look"], order=order)) == 1
        assert faults([made("look"), made("look")], calls=["look", "look"], order=order) == []


def test_any_order_gives_each_call_its_own(made: Made) -> None:
    """A call that fits two expectations is left to the one that has no other."""
    calls = [made("look", at="a"), made("look", at="b")]
    expect = ["look", {"tool": "look", "arguments": {"at": "a"}}]
    assert faults(calls, calls=expect, order="any") == []


def test_arguments_success_and_agent_count(made: Made) -> None:
    """A call with other arguments, another end or by another agent is not the expected one."""
    calls = [made("look", at="a", ok=False, agent="clerk")]
    assert faults(calls, calls=[{"tool": "look", "ok": False, "agent": "clerk"}]) == []
    assert faults(calls, calls=[{"tool": "look", "arguments": {"at": "b"}}]) == [
        "No call `look(at='b')`; made were look(at='a') failed."
    ]
    assert faults(calls, calls=[{"tool": "look", "ok": True}])[0].startswith("No call `look()` that succeeds;")
    assert faults(calls, calls=[{"tool": "look", "agent": "boss"}])[0].startswith("No call `look()` of boss;")


def test_no_call_was_made() -> None:
    """Says so."""
    assert faults([], calls=["look"]) == ["No call `look()`; made were none."]


@pytest.mark.parametrize("order", ["given", "any"])
def test_only_the_expected_ones(made: Made, order: str) -> None:
    """`only` makes every other call a fault."""
    calls = [made("look"), made("clock")]
    expect = {"calls": ["look"], "only": True, "order": order}
    assert faults(calls, **expect) == ["Calls that were not expected: clock()."]
    assert faults(calls[:1], **expect) == []


def test_forbidden(made: Made) -> None:
    """A forbidden call is told with its arguments; one with other arguments is free."""
    calls = [made("buy", article="chair")]
    assert faults(calls, forbidden=["buy"]) == ["buy(article='chair') was called, which it must not be."]
    assert faults(calls, forbidden=[{"tool": "buy", "arguments": {"article": "table"}}]) == []
