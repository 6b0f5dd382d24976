"""The result of a reconciliation as `result.json` holds it: totals, matches, breaks and assumptions, money as text."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, PlainSerializer

from agents.tools.builtin.reconcile.differences import money
from agents.tools.builtin.reconcile.entries import UNNAMED_CURRENCY, Entry, Side

MatchKind = Literal["match", "grouped"]
BreakKind = Literal["missing_in_right", "missing_in_left", "amount", "duplicate", "currency", "date"]

BREAK_ORDER: Final[tuple[BreakKind, ...]] = (
    "missing_in_right",
    "missing_in_left",
    "amount",
    "duplicate",
    "currency",
    "date",
)

Money = Annotated[Decimal, PlainSerializer(money, return_type=str, when_used="json")]
Sums = dict[str, Money]
"""Money per currency."""


class Booking(Protocol):
    """What judging needs of a booking, whether fresh from a file or read back from a stored result."""

    @property
    def row(self) -> int: ...
    @property
    def amount(self) -> Decimal: ...
    @property
    def currency(self) -> str: ...
    @property
    def date(self) -> date | None: ...


class Stored(BaseModel):
    """A frozen record that is written to JSON and read back."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SideTotals(Stored):
    """One side: its name, how many bookings it has and what they sum to per currency."""

    name: str
    rows: int
    totals: Sums


class Match(Stored):
    """Rows that belong together and sum to the same."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    kind: MatchKind
    rule: str
    difference: Sums


class Break(Stored):
    """Rows that do not tie out, what they leave in the totals (left − right), and why."""

    kind: BreakKind
    left: tuple[int, ...]
    right: tuple[int, ...]
    difference: Sums
    explanation: str
    ticket: str | None = None

    @property
    def id(self) -> str:
        """Names the break by its rows, of which no other break has any (`L12-R5`)."""
        return break_id(self.left, self.right)


class Reconciliation(Stored):
    """Every row of both sides in exactly one match or one break."""

    left: SideTotals
    right: SideTotals
    matches: tuple[Match, ...]
    breaks: tuple[Break, ...]
    assumptions: tuple[str, ...]

    def with_tickets(self, tickets: Mapping[str, str]) -> "Reconciliation":
        """The same with the ids of questions replaced by the ids of the tickets that ask them."""
        return self.model_copy(
            update={
                "breaks": tuple(
                    found.model_copy(update={"ticket": tickets.get(found.ticket, found.ticket)})
                    if found.ticket
                    else found
                    for found in self.breaks
                )
            }
        )


class BookedRow(Stored):
    """One booking that stands in a break, as a report and a person need it."""

    row: int
    date: date | None
    party: str
    reference: str
    text: str
    amount: Money
    currency: str

    @classmethod
    def of(cls, entry: Entry) -> "BookedRow":
        """The booking of a side's entry."""
        reference = entry.references[0] if entry.references else ""
        return cls(
            row=entry.row,
            date=entry.date,
            party=entry.party,
            reference=reference,
            text=entry.text,
            amount=entry.amount,
            currency=entry.currency,
        )


class BrokenRows(Stored):
    """The bookings of both sides that stand in breaks, by row number."""

    left: tuple[BookedRow, ...]
    right: tuple[BookedRow, ...]


def break_id(left: Iterable[int], right: Iterable[int]) -> str:
    """The name of the break these rows stand in."""
    sides = (("L", tuple(left)), ("R", tuple(right)))
    return "-".join(letter + ".".join(map(str, rows)) for letter, rows in sides if rows)


def sums_of(bookings: Iterable[Booking]) -> dict[str, Decimal]:
    """Exact sums per currency."""
    sums: dict[str, Decimal] = {}
    for booking in bookings:
        sums[booking.currency] = sums.get(booking.currency, Decimal(0)) + booking.amount
    return sums


def difference_of(left: Iterable[Booking], right: Iterable[Booking]) -> dict[str, Decimal]:
    """Left − right for each currency that occurs."""
    difference = sums_of(left)
    for currency, total in sums_of(right).items():
        difference[currency] = difference.get(currency, Decimal(0)) - total
    return difference


def totals_of(side: Side) -> SideTotals:
    """The totals of a side; one without bookings has a total of zero in no named currency."""
    return SideTotals(name=side.name, rows=len(side.entries), totals=side.totals() or {UNNAMED_CURRENCY: Decimal(0)})


def in_order(breaks: Iterable[Break]) -> tuple[Break, ...]:
    """Breaks by kind, then by row."""
    return tuple(sorted(breaks, key=lambda found: (BREAK_ORDER.index(found.kind), found.left, found.right)))
