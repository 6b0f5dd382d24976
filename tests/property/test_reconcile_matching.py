"""What holds for any two sides: the totals tie out, every row is placed once, order and direction do not matter."""

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.identity import add, check, check_result
from agents.tools.builtin.reconcile.matching import Matching, match
from agents.tools.builtin.reconcile.options import Look, MatchOptions
from agents.tools.builtin.reconcile.questions import Decision
from agents.tools.builtin.reconcile.settling import settle

# Few values of each kind, so that bookings collide in every way: doubles, ties, sums, near amounts, swapped digits.
AMOUNTS = st.sampled_from(
    ["100.00", "91.00", "109.00", "40.00", "60.00", "200.00", "1000", "-100.00", "0", "99.99", "3.333"]
)
REFERENCES = st.sampled_from(["INV10001", "INV10002", "INV10020", "10001", "CUST77", "A1"])
PARTIES = st.sampled_from(["Acme Tooling", "ACME TOO.", "Société Lumière", "SociÃ©tÃ© LumiÃ¨re", "深圳华创", "", "Bo"])
TEXTS = st.sampled_from(["", "payment inv 10001", "INV-10002 and INV-10020", "thanks"])
DATES = st.none() | st.integers(0, 40).map(lambda days: date(2026, 3, 1) + timedelta(days=days))


Rows = tuple[tuple[str, ...], ...]
Placed = tuple[str, Rows, Rows]
"""A match or break by what its rows say: kind, left rows, right rows."""


@st.composite
def sides(draw: st.DrawFn, most: int = 9) -> Side:
    """A side of a few bookings."""
    count = draw(st.integers(0, most))
    entries = tuple(
        Entry(
            row=row,
            amount=Decimal(draw(AMOUNTS)),
            currency=draw(st.sampled_from(["EUR", "USD"])),
            date=draw(DATES),
            references=tuple(draw(st.lists(REFERENCES, max_size=2, unique=True))),
            party=draw(PARTIES),
            text=draw(TEXTS),
        )
        for row in range(1, count + 1)
    )
    return Side("side", entries)


LOOKS = st.sampled_from(["strict", "normal", "loose"])


@settings(max_examples=300, deadline=None)
@given(sides(), sides(), LOOKS, st.integers(0, 4))
def test_every_row_is_placed_once_and_the_totals_tie_out(left: Side, right: Side, look: Look, limit: int) -> None:
    """Whatever the bookings, the result is whole, exact and asks no more than it may."""
    matching = match(left, right, MatchOptions.of(look, max_questions=limit))
    assert check(left, right, matching.result) == []
    assert len(matching.questions) <= limit
    asked = {about for question in matching.questions for about in question.about}
    assert asked == {found.id for found in matching.result.breaks if found.ticket}


@settings(max_examples=200, deadline=None)
@given(sides(), sides(), LOOKS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(left: Side, right: Side, look: Look, random: Random) -> None:
    """Shuffled files give the same matches and breaks, up to the numbers of the rows."""
    options = MatchOptions.of(look)
    first = match(left, right, options)
    left_again, right_again = _shuffled(left, random), _shuffled(right, random)
    second = match(left_again, right_again, options)
    assert _told(first, left, right) == _told(second, left_again, right_again)


@settings(max_examples=200, deadline=None)
@given(sides(), sides(), LOOKS)
def test_swapping_the_sides_mirrors_the_result(left: Side, right: Side, look: Look) -> None:
    """What is missing on one side is missing on the other, and the differences change their sign."""
    options = MatchOptions.of(look)
    there, back = match(left, right, options), match(right, left, options)
    assert _told(there, left, right) == _mirrored(_told(back, right, left))
    assert add(found.difference for found in there.result.breaks) == {
        currency: -value for currency, value in add(found.difference for found in back.result.breaks).items()
    }


@settings(max_examples=200, deadline=None)
@given(sides(), sides(), st.data())
def test_any_answers_keep_the_identity(left: Side, right: Side, data: st.DataObject) -> None:
    """Questions answered in any way, in one or more rounds, leave a whole and exact result."""
    matching = match(left, right, MatchOptions.of("loose", max_questions=5))
    while matching.questions:
        asked = data.draw(st.lists(st.sampled_from(matching.questions), min_size=1, unique_by=lambda one: one.id))
        answers = {one.id: data.draw(st.sampled_from(one.choices)).value for one in asked}
        stored = Matching.model_validate(matching.model_dump(mode="json"))
        matching = settle(stored, [Decision(question=name, choice=choice) for name, choice in answers.items()])
        assert check_result(matching.result) == []
        assert check(left, right, matching.result) == []
        assert matching.summary.matched_left + matching.summary.broken_left == len(left.entries)


def _shuffled(side: Side, random: Random) -> Side:
    entries = list(side.entries)
    random.shuffle(entries)
    return Side(side.name, tuple(replace(entry, row=row) for row, entry in enumerate(entries, start=1)))


def _told(matching: Matching, left: Side, right: Side) -> Counter[Placed]:
    lefts = {entry.row: _content(entry) for entry in left.entries}
    rights = {entry.row: _content(entry) for entry in right.entries}
    placed = [*matching.result.matches, *matching.result.breaks]
    return Counter(
        (
            found.kind,
            tuple(sorted(lefts[row] for row in found.left)),
            tuple(sorted(rights[row] for row in found.right)),
        )
        for found in placed
    )


def _mirrored(told: Counter[Placed]) -> Counter[Placed]:
    names = {"missing_in_left": "missing_in_right", "missing_in_right": "missing_in_left"}
    return Counter({(names.get(kind, kind), right, left): count for (kind, left, right), count in told.items()})


def _content(entry: Entry) -> tuple[str, ...]:
    return tuple(
        str(value) for value in (entry.date, entry.amount, entry.currency, entry.references, entry.party, entry.text)
    )
