"""Answers: each does to the result what its label says, and the totals tie out after it."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from agents.errors import ToolError
from agents.tools.builtin.reconcile.data import from_data
from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.identity import check
from agents.tools.builtin.reconcile.matching import Matching, match
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.questions import Decision
from agents.tools.builtin.reconcile.settling import settle


def entry(row: int, amount: str, *references: str, party: str = "Acme Tooling", day: int = 1) -> Entry:
    return Entry(row, Decimal(amount), "EUR", date(2026, 3, 1) + timedelta(days=day), references, party, "")


LARGE = (
    Side("ledger", (entry(1, "5000.00", "INV10001"), entry(2, "80.00", "INV10002"))),
    Side("bank", (entry(1, "3127.40", "INV10001"), entry(2, "80.00", "INV10002"))),
)
TIED = (
    Side("ledger", (entry(1, "700.00", "INV10001", day=1), entry(2, "700.00", "INV10002", day=2))),
    Side("bank", (entry(1, "700.00", day=3),)),
)
SUMS = (
    Side(
        "ledger",
        tuple(entry(row, amount, f"INV1000{row}") for row, amount in enumerate(("600", "400", "700", "300"), 1)),
    ),
    Side("bank", (entry(1, "1000", day=2),)),
)


def kinds(matching: Matching) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    return [(found.kind, found.left, found.right) for found in matching.result.breaks]


def answered(sides: tuple[Side, Side], choice: str, ticket: str | None = None) -> Matching:
    matching = settle(match(*sides), [Decision(question="Q1", choice=choice, ticket=ticket)])
    assert check(*sides, matching.result) == []
    return matching


def test_a_large_unexplained_difference_is_asked_about() -> None:
    """The question says both bookings, the difference, and every answer it may get."""
    (question,) = match(*LARGE).questions
    assert question.text == (
        "ledger row 1 (2026-03-02, Acme Tooling, INV10001, 5000.00 EUR) and bank row 1 (2026-03-02, Acme Tooling, "
        "INV10001, 3127.40 EUR) are linked, but differ by 1872.60 EUR. Are they the same payment?"
    )
    values = [choice.value for choice in question.choices]
    assert values == ["accept_discount", "accept_fee", "accept_typo", "part_payment", "not_the_same", "keep_open"]
    assert question.about == ("L1-R1",)
    assert question.default == "keep_open"


def test_an_accepted_difference_stays_a_break_with_its_reason() -> None:
    """The money is still missing; the explanation and the ticket say who decided what it is."""
    matching = answered(LARGE, "accept_discount", ticket="T-9")
    (found,) = matching.result.breaks
    assert (found.kind, found.ticket) == ("amount", "T-9")
    assert found.explanation.endswith(
        "Decided by a person: the same payment; the difference of 1872.60 EUR is a discount."
    )
    assert matching.questions == ()
    assert matching.summary.open_questions == 0


def test_not_the_same_payment_parts_the_break() -> None:
    """Two bookings that do not belong together are missing on the other side each."""
    matching = answered(LARGE, "not_the_same")
    assert kinds(matching) == [("missing_in_right", (1,), ()), ("missing_in_left", (), (1,))]


def test_left_open_keeps_the_break_and_says_so() -> None:
    """The default changes nothing but the explanation."""
    matching = answered(LARGE, "keep_open")
    assert kinds(matching) == [("amount", (1,), (1,))]
    assert matching.result.breaks[0].explanation.endswith("Decided by a person: leave it open.")


def test_two_candidates_that_no_rule_separates() -> None:
    """One payment, two equal invoices of one party: all three stay open until somebody says which was paid."""
    matching = match(*TIED)
    assert kinds(matching) == [
        ("missing_in_right", (1,), ()),
        ("missing_in_right", (2,), ()),
        ("missing_in_left", (), (1,)),
    ]
    (question,) = matching.questions
    assert question.text == (
        "bank row 1 (2026-03-04, Acme Tooling, 700.00 EUR) may belong to ledger row 1 (2026-03-02, Acme Tooling, "
        "INV10001, 700.00 EUR), row 2 (2026-03-03, Acme Tooling, INV10002, 700.00 EUR): each fits, and no rule "
        "separates them. Which belong together?"
    )
    assert [choice.label for choice in question.choices] == [
        "Link ledger row 2 (INV10002) with bank row 1",
        "Link ledger row 1 (INV10001) with bank row 1",
        "Leave it open",
    ]
    assert {found.ticket for found in matching.result.breaks} == {"Q1"}


def test_the_chosen_candidate_is_linked_and_the_other_is_missing() -> None:
    """The link is a match decided by a person; what is left over says why."""
    matching = answered(TIED, "link:L1-R1")
    (found,) = matching.result.matches
    assert (found.left, found.right, found.kind, found.rule) == ((1,), (1,), "match", "decision")
    assert kinds(matching) == [("missing_in_right", (2,), ())]
    assert [one.rule for one in matching.summary.by_rule] == ["decision"]
    assert matching.summary.by_rule[0].settled == {"EUR": Decimal("700.00")}


def test_two_sums_are_a_question_too() -> None:
    """A payment that two sets of invoices explain: the chosen set is grouped, the others are missing."""
    matching = answered(SUMS, "link:L3.4-R1")
    (found,) = matching.result.matches
    assert (found.left, found.right, found.kind) == ((3, 4), (1,), "grouped")
    assert kinds(matching) == [("missing_in_right", (1,), ()), ("missing_in_right", (2,), ())]


@pytest.mark.parametrize(
    ("decisions", "code", "hint"),
    [
        ([Decision(question="Q7", choice="keep_open")], "unknown_question", "Open questions: Q1."),
        ([Decision(question="Q1", choice="burn_it")], "unknown_choice", "`keep_open`"),
        ([Decision(question="Q1", choice="keep_open")] * 2, "answered_twice", "one choice"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(decisions: list[Decision], code: str, hint: str) -> None:
    """The error says what would have fitted."""
    with pytest.raises(ToolError) as caught:
        settle(match(*LARGE), decisions)
    assert caught.value.code == code
    assert hint in str(caught.value)


def test_an_answered_question_is_not_answered_again() -> None:
    """The second answer finds no open question."""
    once = answered(LARGE, "accept_fee")
    with pytest.raises(ToolError, match="no open question"):
        settle(once, [Decision(question="Q1", choice="accept_typo")])


def test_beyond_the_limit_the_largest_amounts_are_asked() -> None:
    """The other breaks stay, with a word that they were not asked; no break loses its explanation."""
    offs = {1: "40.00", 2: "900.00", 3: "70.00", 4: "500.00"}
    left = Side("ledger", tuple(entry(row, "1000.00", f"INV1000{row}") for row in offs))
    right = Side(
        "bank", tuple(entry(row, str(Decimal("1000.37") - Decimal(off)), f"INV1000{row}") for row, off in offs.items())
    )
    matching = match(left, right, MatchOptions(max_questions=2))
    assert [question.about for question in matching.questions] == [("L2-R2",), ("L4-R4",)]
    unasked = [found for found in matching.result.breaks if "Not asked" in found.explanation]
    assert [found.left for found in unasked] == [(1,), (3,)]
    assert all(found.ticket is None for found in unasked)


@pytest.mark.parametrize(
    "data", [None, [], {}, {"left": 1}, {"left": {}, "right": {}, "matches": [], "breaks": []}, "text"]
)
def test_an_observation_that_is_no_matching_is_refused(data: object) -> None:
    """Naming the wrong observation is told in one line."""
    with pytest.raises(ToolError, match=r"E1\.1 holds no matching"):
        from_data(data, "E1.1")
