"""What a pass sees and what it gives back: the open bookings of both sides, and links, doubles and doubts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.lag import UNKNOWN_LAG, Lag
from agents.tools.builtin.reconcile.names import Names
from agents.tools.builtin.reconcile.references import ReferenceIndex

SideName = Literal["left", "right"]
SIDES: Final[tuple[SideName, SideName]] = ("left", "right")


def other_side(side: SideName) -> SideName:
    """The side across."""
    return "right" if side == "left" else "left"


class Rows(NamedTuple):
    """Rows of both sides that belong together."""

    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """Rows that belong together, and the pass that found them. What their difference means is judged later."""

    rows: Rows
    rule: str


@dataclass(frozen=True, slots=True)
class Twin:
    """A booking that stands once too often on its side; `twin` is the equal one."""

    side: SideName
    row: int
    twin: int
    rule: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Rows that belong together in more than one way; each option says which would then be linked."""

    reason: str
    rows: Rows
    options: tuple[tuple[Rows, ...], ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Found:
    """What one pass found. Rows stand in at most one link, double or doubt."""

    links: tuple[Link, ...] = ()
    twins: tuple[Twin, ...] = ()
    doubts: tuple[Doubt, ...] = ()


class Books:
    """Both sides by row number, with what is computed once for all passes."""

    def __init__(self, left: Side, right: Side) -> None:
        self.entries: Mapping[SideName, Mapping[int, Entry]] = {
            "left": {entry.row: entry for entry in sorted(left.entries, key=content)},
            "right": {entry.row: entry for entry in sorted(right.entries, key=content)},
        }
        named = left.name and right.name and left.name != right.name
        self.called: Mapping[SideName, str] = (
            {"left": left.name, "right": right.name} if named else {"left": "left", "right": "right"}
        )
        """What people call the sides: the names of their files, where these tell them apart."""
        self.references = ReferenceIndex(self.entries["left"].values(), self.entries["right"].values())
        self.names = Names()

    def name_score(self, one: Entry, other: Entry) -> int | None:
        """How alike the parties of two bookings are; None when one has none."""
        return self.names.score(one.party, other.party)


@dataclass(frozen=True, slots=True)
class State:
    """Where a look stands: the rows still open on each side, in order of content, never of position in the file."""

    books: Books
    open: Mapping[SideName, tuple[int, ...]]
    lag: Lag = UNKNOWN_LAG
    repeated: Collection[Decimal] = field(default=frozenset[Decimal]())
    """Differences that occur in many bookings linked so far."""

    @classmethod
    def start(cls, books: Books) -> "State":
        """Everything is open."""
        return cls(books, {side: tuple(books.entries[side]) for side in SIDES})

    def entries(self, side: SideName) -> list[Entry]:
        """The open bookings of a side."""
        entries = self.books.entries[side]
        return [entries[row] for row in self.open[side]]

    def without(self, found: Found) -> "State":
        """The state after a pass: what it found is no longer open; doubted rows are kept for a person."""
        gone: dict[SideName, set[int]] = {"left": set(), "right": set()}
        for rows in (*(link.rows for link in found.links), *(doubt.rows for doubt in found.doubts)):
            gone["left"].update(rows.left)
            gone["right"].update(rows.right)
        for twin in found.twins:
            gone[twin.side].add(twin.row)
        if not gone["left"] and not gone["right"]:
            return self
        return replace(
            self, open={side: tuple(row for row in self.open[side] if row not in gone[side]) for side in SIDES}
        )


Content = tuple[date, str, Decimal, tuple[str, ...], str, str, int]


def content(entry: Entry) -> Content:
    """Sorts bookings by what they say; the row number only parts bookings that say the same."""
    return (
        entry.date or date.min,
        entry.currency,
        entry.amount,
        entry.references,
        entry.party,
        entry.text,
        entry.row,
    )


def days_apart(left: Entry, right: Entry) -> int | None:
    """Days the right booking lies after the left one; None when a date is missing."""
    if left.date is None or right.date is None:
        return None
    return (right.date - left.date).days


def rows_of(side: SideName, mine: tuple[int, ...], others: tuple[int, ...]) -> Rows:
    """Rows of `side` and of the side across, put the right way round."""
    return Rows(mine, others) if side == "left" else Rows(others, mine)
