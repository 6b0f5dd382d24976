"""What the tests of passes share: bookings in one line, and one pass run on two sides."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal

import pytest

from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.lag import Lag
from agents.tools.builtin.reconcile.looking import Seen, look
from agents.tools.builtin.reconcile.options import MatchOptions, PassName
from agents.tools.builtin.reconcile.state import Books, Found, State

Book = Callable[..., Entry]
Run = Callable[..., Found]
Look = Callable[..., Seen]

USUAL = Lag(middle=1.5, spread=1.0, low=0, high=3, samples=50)


@pytest.fixture
def book() -> Book:
    """Makes a booking: row, amount, then what differs from a plain one of Acme on day 1."""

    def made(
        row: int,
        amount: str,
        *references: str,
        day: int | None = 1,
        party: str = "Acme Tooling",
        currency: str = "EUR",
        text: str = "",
    ) -> Entry:
        when = None if day is None else date(2026, 3, 1) + timedelta(days=day)
        return Entry(row, Decimal(amount), currency, when, references, party, text)

    return made


@pytest.fixture
def run() -> Run:
    """Runs one pass function on two lists of bookings, with a usual delay of zero to three days."""

    def ran(
        function: Callable[[State, MatchOptions], Found],
        left: Sequence[Entry],
        right: Sequence[Entry],
        options: MatchOptions | None = None,
    ) -> Found:
        books = Books(Side("left", tuple(left)), Side("right", tuple(right)))
        start = State.start(books)
        return function(State(books, start.open, USUAL), options or MatchOptions())

    return ran


@pytest.fixture
def look_at() -> Look:
    """Runs several passes in their order."""

    def looked(left: Sequence[Entry], right: Sequence[Entry], *passes: PassName) -> Seen:
        books = Books(Side("left", tuple(left)), Side("right", tuple(right)))
        return look(books, MatchOptions(passes=passes))

    return looked
