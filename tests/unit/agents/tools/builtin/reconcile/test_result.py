"""The result as JSON: the shape of `result.json`, money as text, tickets put in for questions."""

import json
from datetime import date
from decimal import Decimal

from agents.tools.builtin.reconcile.data import as_data, from_data
from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.matching import match


def entry(row: int, amount: str, *references: str, currency: str = "EUR") -> Entry:
    return Entry(row, Decimal(amount), currency, date(2026, 3, row), references, "Acme Tooling", "")


LEFT = Side("ledger.csv", (entry(1, "100.5", "INV10001"), entry(2, "50", "INV10002")), ("Read as UTF-8.",))
RIGHT = Side("bank.csv", (entry(1, "100.50", "INV10001"), entry(2, "12.3", "INV10002")))


def test_the_shape_of_result_json() -> None:
    """Sides, matches and breaks as the README of the command says, decimals as text with two places."""
    data = json.loads(json.dumps(as_data(match(LEFT, RIGHT))))
    assert data["left"] == {"name": "ledger.csv", "rows": 2, "totals": {"EUR": "150.50"}}
    assert data["right"] == {"name": "bank.csv", "rows": 2, "totals": {"EUR": "112.80"}}
    assert data["matches"] == [
        {"left": [1], "right": [1], "kind": "match", "rule": "reference", "difference": {"EUR": "0.00"}}
    ]
    assert data["breaks"] == [
        {
            "kind": "amount",
            "left": [2],
            "right": [2],
            "difference": {"EUR": "37.70"},
            "explanation": "Linked by reference; off by 37.70, and no rule explains it.",
            "ticket": "Q1",
        }
    ]
    assert data["assumptions"] == ["Read as UTF-8."]


def test_a_matching_is_the_same_after_it_was_stored() -> None:
    """What an observation holds gives back the whole matching."""
    matching = match(LEFT, RIGHT)
    assert from_data(json.loads(json.dumps(as_data(matching))), "E3.1") == matching


def test_tickets_take_the_place_of_questions() -> None:
    """Once a ticket asks a question, the break names the ticket."""
    result = match(LEFT, RIGHT).result.with_tickets({"Q1": "T-7"})
    assert [found.ticket for found in result.breaks] == ["T-7"]


def test_an_empty_side_has_a_total() -> None:
    """Nothing against something: zero in no named currency, and everything is missing."""
    result = match(Side("empty", ()), RIGHT).result
    assert result.left.totals == {"XXX": Decimal(0)}
    assert [found.kind for found in result.breaks] == ["missing_in_left", "missing_in_left"]
