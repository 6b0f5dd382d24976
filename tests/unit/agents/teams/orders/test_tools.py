"""Refunds are booked once, never beyond what was paid, and can be found and taken back."""

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from agents.errors import ToolError
from agents.teams.orders.tools import refund, status, take_back, was_refunded, would_refund
from agents.tools.function import Happened, NotHappened, ToolResult, Unknown
from agents.tools.local_context import LocalContext

At = Callable[..., LocalContext]


def refunded(context: LocalContext, ratio: str = "0.3", order: str = "A-1001") -> ToolResult:
    """Call the tool as the toolbox does."""
    result = refund.run(refund.arguments.model_validate({"order": order, "ratio": ratio, "reason": "late"}), context)
    assert isinstance(result, ToolResult)
    return result


def asked(context: LocalContext, order: str = "A-1001") -> ToolResult:
    """Look the order up."""
    result = status.run(status.arguments.model_validate({"order": order}), context)
    assert isinstance(result, ToolResult)
    return result


def test_the_effect_is_keyed() -> None:
    """A repeated call with the same key is safe, and both tools say what they do to the world."""
    assert (status.effect, refund.effect) == ("read", "keyed")


def test_a_refund(at: At) -> None:
    """A share of what was paid, to the cent; the status knows of it."""
    result = refunded(at(), "0.333")
    assert result.summary == "39.96 EUR of order A-1001 refunded (booked)."
    assert (result.data["amount"], result.data["ratio"], result.data["rehearsal"]) == (
        Decimal("39.96"),
        Decimal("0.333"),
        False,
    )
    found = asked(at())
    assert found.summary == "Order A-1001: delivered, 120.00 EUR of 129.90 paid, 39.96 refunded."
    assert (found.data["refunded"], found.data["refundable"]) == (Decimal("39.96"), Decimal("80.04"))


def test_the_same_call_again(at: At) -> None:
    """Books nothing more and says so."""
    first = refunded(at("r1/a#1.c1.0"))
    second = refunded(at("r1/a#1.c1.0"))
    assert second.summary == "36.00 EUR of order A-1001 refunded (booked). It stood there already."
    assert (first.data["booked_at"], asked(at()).data["refunded"]) == (second.data["booked_at"], Decimal(36))


def test_never_more_than_was_paid(at: At) -> None:
    """What is left is told; after all of it nothing is."""
    refunded(at("k1"), "0.75")
    with pytest.raises(ToolError) as caught:
        refunded(at("k2"), "0.5")
    assert (caught.value.code, caught.value.mend) == ("too_much", "At most the ratio 0.2500 is left.")
    refunded(at("k3"), "0.25")
    with pytest.raises(ToolError) as caught:
        refunded(at("k4"), "0.01")
    assert caught.value.mend == "All of it has been refunded already: say so."
    assert asked(at()).data["refunded"] == Decimal(120)


@pytest.mark.parametrize(
    ("order", "ratio", "code"),
    [("A-1002", "0.5", "not_paid"), ("B-1", "0.5", "unknown_order"), ("A-1001", "0.00001", "too_little")],
)
def test_what_is_refused(at: At, tmp_path: Path, order: str, ratio: str, code: str) -> None:
    """Nothing is booked, not even a ledger is made."""
    with pytest.raises(ToolError) as caught:
        refunded(at(), ratio, order)
    assert caught.value.code == code
    assert not (tmp_path / "refunds.db").exists()


@pytest.mark.parametrize("ratio", ["0", "-0.1", "1.01", "30", "0.1234567", "NaN", "half"])
def test_a_ratio_that_is_none(at: At, ratio: str) -> None:
    """Is refused before the tool runs."""
    with pytest.raises(ValidationError):
        refunded(at(), ratio)


def test_a_rehearsal(at: At, tmp_path: Path) -> None:
    """Without a ledger in the shop file refunds are booked for the run alone, and called rehearsed."""
    result = refunded(at("r1/a#1.c1.0", refunds=None))
    assert (result.summary, result.data["rehearsal"]) == (
        "36.00 EUR of order A-1001 refunded (rehearsed, nothing is paid out).",
        True,
    )
    assert asked(at("r1/b#1.c1.0", refunds=None)).data["refunded"] == Decimal(36)
    assert asked(at("r2/a#1.c1.0", refunds=None)).data["refunded"] == Decimal(0)
    assert not (tmp_path / "refunds.db").exists()


def test_it_writes_into_no_other_database(at: At, tmp_path: Path) -> None:
    """A file that is somebody's database, or none at all, is left as it is."""
    path = tmp_path / "refunds.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(ToolError, match="is a database of something else"):
        refunded(at())
    path.write_bytes(b"no database" * 100)
    with pytest.raises(ToolError, match="cannot be used"):
        refunded(at())
    assert path.read_bytes() == b"no database" * 100


def test_after_a_crash_the_ledger_knows(at: At) -> None:
    """`verify` finds the booking by its key, and gives the result that was lost."""
    arguments: Any = SimpleNamespace(order="A-1001", ratio=Decimal("0.3"), reason="late")
    assert was_refunded(arguments, at("k1")) == NotHappened()
    before = refunded(at("k1"))
    outcome = was_refunded(arguments, at("k1"))
    assert isinstance(outcome, Happened)
    assert outcome.result.data == before.data
    assert was_refunded(arguments, at("k2")) == NotHappened()
    assert isinstance(was_refunded(arguments, at("k1", refunds="relative.db")), Unknown)


def test_a_preview_books_nothing(at: At, tmp_path: Path) -> None:
    """It says what would be refunded."""
    arguments: Any = SimpleNamespace(order="a1001", ratio=Decimal("0.3"))
    assert would_refund(arguments, at()).summary == "36.00 EUR of order A-1001 would be refunded."
    assert not (tmp_path / "refunds.db").exists()


def test_taking_back(at: At) -> None:
    """A refund is taken back once; what is not there is not taken back."""
    assert take_back(None, None, at("k1")).data["amount"] == "0"
    data = refunded(at("k1")).data
    assert take_back(None, data, at("k9")).data["amount"] == Decimal(-36)
    assert "already" in take_back(None, data, at("k9")).summary
    assert asked(at()).data["refunded"] == Decimal(0)
    assert refunded(at("k2"), "1").data["refunded"] == Decimal(120)
