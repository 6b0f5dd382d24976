"""Bookings that are summed against one: candidates of one party in time, and hits that do not share a booking."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.names import SAME, block_keys
from agents.tools.builtin.reconcile.options import MatchOptions, PassName
from agents.tools.builtin.reconcile.references import contradict
from agents.tools.builtin.reconcile.state import (
    Content,
    Doubt,
    Found,
    Link,
    SideName,
    State,
    content,
    other_side,
    rows_of,
)

_GROUP_SLACK: Final = 4
"""The parts of a payment spread over more days than single bookings do."""
_MOST_CANDIDATES: Final = 400


@dataclass(frozen=True, slots=True)
class Hit:
    """One booking, and the sets of bookings across whose sum is its amount."""

    side: SideName
    row: int
    solutions: tuple[tuple[int, ...], ...]


class Neighbours:
    """Open bookings of one side, found by party and day."""

    def __init__(self, state: State, side: SideName, held: set[int]) -> None:
        self._state = state
        self._side: SideName = side
        self._by_key: dict[tuple[str, str, date], list[Entry]] = defaultdict(list)
        self._by_day: dict[tuple[str, date], list[Entry]] = defaultdict(list)
        for entry in state.entries(side):
            if entry.date is None or entry.row in held:
                continue
            self._by_day[entry.currency, entry.date].append(entry)
            for key in block_keys(state.books.names.fold(entry.party)):
                self._by_key[entry.currency, key, entry.date].append(entry)

    def days_around(self, target: Entry, options: MatchOptions) -> list[date]:
        """The days on which bookings that belong to `target` may stand."""
        if target.date is None:
            return []
        lag, slack = self._state.lag, options.slack_days + _GROUP_SLACK
        first, last = (lag.low - slack, lag.high + slack)
        if self._side == "left":
            first, last = -last, -first
        return [date.fromordinal(day) for day in _days(target.date.toordinal() + first, target.date.toordinal() + last)]

    def of_party(self, target: Entry, options: MatchOptions) -> list[Entry]:
        """Bookings of the target's party around its day, in order of content; none when they are too many."""
        keys = block_keys(self._state.books.names.fold(target.party))
        found: dict[int, Entry] = {}
        for day in self.days_around(target, options):
            for key in keys:
                for entry in self._by_key.get((target.currency, key, day), ()):
                    if entry.row not in found and self._belongs(target, entry):
                        found[entry.row] = entry
            if len(found) > _MOST_CANDIDATES:
                return []
        return list(found.values())

    def of_day(self, target: Entry, day: date) -> list[Entry]:
        """All bookings of a day in the target's currency."""
        return self._by_day.get((target.currency, day), [])

    def _belongs(self, target: Entry, entry: Entry) -> bool:
        if entry.amount in (target.amount, Decimal(0)):
            return False
        score = self._state.books.name_score(target, entry)
        if score is None or score < SAME:
            return False
        return not (self._state.books.references.one_system and contradict(target, entry))


def _days(first: int, last: int) -> range:
    return range(max(first, date.min.toordinal()), min(last, date.max.toordinal()) + 1)


def resolve(state: State, hits: Iterable[Hit], rule: PassName) -> Found:
    """Hits that share no booking: the surest and smallest first; several ways to make one sum are a doubt."""
    used: dict[SideName, set[int]] = {"left": set(), "right": set()}
    links: list[Link] = []
    doubts: list[Doubt] = []
    for hit in sorted(hits, key=lambda hit: _rank(state, hit)):
        across = other_side(hit.side)
        if hit.row in used[hit.side]:
            continue
        free = tuple(rows for rows in hit.solutions if not used[across].intersection(rows))
        if not free:
            continue
        used[hit.side].add(hit.row)
        taken = tuple(sorted({row for rows in free for row in rows}))
        used[across].update(taken)
        if len(free) == 1:
            links.append(Link(rows_of(hit.side, (hit.row,), free[0]), rule))
        else:
            options = tuple((rows_of(hit.side, (hit.row,), rows),) for rows in free)
            doubts.append(Doubt("sums", rows_of(hit.side, (hit.row,), taken), options, rule))
    return Found(links=tuple(links), doubts=tuple(doubts))


def _rank(state: State, hit: Hit) -> tuple[int, int, Content, SideName]:
    parts = [len(rows) for rows in hit.solutions]
    said = content(state.books.entries[hit.side][hit.row])
    return len(hit.solutions), min(parts, default=0), said, hit.side


def distinct(entries: Iterable[tuple[Entry, ...]]) -> tuple[tuple[int, ...], ...]:
    """The sets that differ in what they say, as rows: equal bookings may stand for one another."""
    seen: dict[tuple[tuple[object, ...], ...], tuple[int, ...]] = {}
    for group in entries:
        signature = tuple(sorted((str(e.date), str(e.amount), e.party, e.references) for e in group))
        seen.setdefault(signature, tuple(sorted(e.row for e in group)))
    return tuple(seen.values())


def total(entries: Iterable[Entry]) -> Decimal:
    """The exact sum of the amounts."""
    return sum((entry.amount for entry in entries), Decimal(0))
