"""Reads dates in the one order of day, month and year that a whole column shows."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from agents.tools.builtin.tables.calendar_words import dissect
from agents.tools.builtin.tables.numbers import is_blank, sampled

Order = Literal["ymd", "dmy", "mdy", "serial"]

_NAMES: dict[Order, str] = {
    "ymd": "year-month-day",
    "dmy": "day-month-year",
    "mdy": "month-day-year",
    "serial": "serial",
}
_ORDERS: tuple[Order, ...] = ("dmy", "mdy", "ymd")
_FIRST_SERIAL, _LAST_SERIAL = 20_000, 80_000  # 1954 to 2119: smaller and larger numbers are no dates of bookings
_SERIAL_ZERO = date(1899, 12, 30)


@dataclass(frozen=True, slots=True)
class DateFormat:
    """How a column spells dates: the order of its all-digit dates, and an example."""

    order: Order
    example: str
    sure: bool = True
    """False when another order would have read every cell too; `assumption` then says so."""
    assumption: str = ""

    def __str__(self) -> str:
        return f"{_NAMES[self.order]} ({self.example})"

    def read(self, cell: str) -> date | None:
        """The date of a cell; None when it is blank or no date in this format."""
        return _read(cell, self.order)


@dataclass(frozen=True, slots=True)
class DateHints:
    """What decides between two orders that both read a column: its neighbours, the other table's range, its name."""

    prefer: Order | None = None
    near: tuple[date, date] | None = None
    serial: bool = False
    """True when the column's name says that it holds dates: only then may bare numbers be spreadsheet serials."""


def date_format(cells: Iterable[str], hints: DateHints | None = None) -> DateFormat | None:
    """Decide over a whole column how it spells dates; None when fewer than nine in ten filled cells are dates."""
    hints = hints or DateHints()
    filled = [cell for cell in cells if not is_blank(cell)]
    some = sampled(filled)
    counts: dict[Order, int] = dict.fromkeys(_ORDERS, 0)
    if sum(1 for cell in some if is_date(cell)) * 2 >= len(some):
        counts = _counts(filled)
    most = max(counts.values(), default=0)
    if not filled or most * 10 < len(filled) * 9:
        return _serial_format(filled) if hints.serial and filled else None
    orders: list[Order] = [order for order in _ORDERS if counts[order] == most]
    example = next((cell for cell in filled if _read(cell, orders[0]) is not None), filled[0])
    if len(orders) == 1 or _agree(filled, orders):
        return DateFormat(_own_order(example) or orders[0], example)
    if "dmy" in orders and all("." in cell for cell in filled):
        return DateFormat("dmy", example)  # nobody writes the month first with dots
    order, why = _choose(filled, orders, hints)
    return DateFormat(order, example, sure=False, assumption=f"`{example}` is read as {_NAMES[order]}: {why}")


def _counts(filled: Sequence[str]) -> dict[Order, int]:
    """How many cells each order reads."""
    often = Counter(filled)
    return {order: sum(count for cell, count in often.items() if _read(cell, order)) for order in _ORDERS}


def is_date(cell: str) -> bool:
    """True when a cell is a date in some order of day, month and year."""
    return any(_read(cell, order) is not None for order in _ORDERS)


def _own_order(cell: str) -> Order | None:
    parts = dissect(cell)
    return next((order for order in _ORDERS if parts and parts.order == order), None)


@lru_cache(maxsize=1 << 14)
def _read(cell: str, order: Order) -> date | None:
    if order == "serial":
        return _serial(cell)
    parts = dissect(cell)
    if parts is None:
        return None
    if parts.order:
        return _date(parts.numbers, parts.order)
    return _date(parts.numbers, order)


def _date(numbers: tuple[str, str, str], order: str) -> date | None:
    named = dict(zip(order, numbers, strict=True))
    year = named["y"]
    if len(year) not in (2, 4) or len(named["m"]) > 2 or len(named["d"]) > 2:
        return None
    full = int(year) if len(year) == 4 else int(year) + (2000 if int(year) < 70 else 1900)
    try:
        found = date(full, int(named["m"]), int(named["d"]))
    except ValueError:
        return None
    return found if 1900 <= found.year <= 2199 else None


def _serial(cell: str) -> date | None:
    whole, _, fraction = cell.strip().partition(".")
    if not (whole.isascii() and whole.isdigit() and len(whole) == 5) or (fraction and not fraction.isdigit()):
        return None
    days = int(whole)
    return _SERIAL_ZERO + timedelta(days=days) if _FIRST_SERIAL <= days <= _LAST_SERIAL else None


def _serial_format(filled: Sequence[str]) -> DateFormat | None:
    readable = [cell for cell in filled if _serial(cell)]
    if len(readable) * 10 < len(filled) * 9:
        return None
    return DateFormat("serial", readable[0], assumption=f"`{readable[0]}` is read as a spreadsheet's serial number")


def _agree(filled: Sequence[str], orders: Sequence[Order]) -> bool:
    """True when the orders left read the same dates (03/03/2026, or dates that name their month)."""
    return all(len({_read(cell, order) for order in orders}) == 1 for cell in filled)


def _choose(filled: Sequence[str], orders: Sequence[Order], hints: DateHints) -> tuple[Order, str]:
    if hints.prefer is not None and hints.prefer in orders:
        return hints.prefer, "the other dates of this table are spelled so"
    read: dict[Order, list[date]] = {order: [day for cell in filled if (day := _read(cell, order))] for order in orders}
    if hints.near is not None:
        low, high = hints.near
        inside: list[tuple[int, int, Order]] = sorted(
            ((sum(low <= day <= high for day in read[order]), -place, order) for place, order in enumerate(orders)),
            reverse=True,
        )
        if inside[0][0] > inside[1][0]:
            return inside[0][2], "the dates then fall into the time of the other table"
    spans: list[tuple[int, int, Order]] = sorted(
        (_span(read[order]), place, order) for place, order in enumerate(orders)
    )
    if spans[0][0] * 2 < spans[1][0]:
        return spans[0][2], "the dates then lie closest together"
    falls: list[tuple[int, int, Order]] = sorted(
        (_falls(read[order]), place, order) for place, order in enumerate(orders)
    )
    if len(filled) >= 3 and falls[0][0] == 0 and falls[1][0] > 0:
        return falls[0][2], "the dates then stand in order"
    return orders[0], "nothing in the table decides it"


def _span(days: Sequence[date]) -> int:
    return (max(days) - min(days)).days if days else 0


def _falls(days: Sequence[date]) -> int:
    """How often the dates turn against their own direction."""
    down = sum(1 for before, after in pairwise(days) if after < before)
    up = sum(1 for before, after in pairwise(days) if after > before)
    return min(down, up)
