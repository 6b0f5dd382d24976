"""The ledger of refunds: a SQLite file in which each refund is booked once under its key, and none beyond what was
paid."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from agents.errors import ToolError

APPLICATION = 0x52454655
"""Marks a SQLite file as a ledger of refunds, so that nothing is ever written into somebody's other database."""
_SECONDS = 10.0
_TABLE = """
CREATE TABLE refunds (
    key TEXT PRIMARY KEY,
    order_number TEXT NOT NULL,
    cents INTEGER NOT NULL,
    ratio TEXT NOT NULL,
    reason TEXT NOT NULL,
    booked_at TEXT NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True)
class Booking:
    """One refund as it is booked; a negative amount takes one back."""

    key: str
    order: str
    amount: Decimal
    ratio: Decimal
    reason: str
    booked_at: str


@dataclass(frozen=True, slots=True)
class Booked:
    """A booking, and whether it stood there already."""

    booking: Booking
    again: bool
    refunded: Decimal
    """What has been refunded of the order by now."""


class Ledger:
    """The refunds of a shop. Several processes may use one file at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def book(self, booking: Booking, most: Decimal) -> Booked:
        """Book a refund, once for each key. Raises ToolError when the order's refunds would exceed `most`."""
        with self._opened() as connection:
            if found := _find(connection, booking.key):
                return Booked(found, again=True, refunded=_refunded(connection, found.order))
            before = _refunded(connection, booking.order)
            if before + booking.amount > most:
                raise _too_much(booking, before, most)
            connection.execute(
                "INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?)",
                (
                    booking.key,
                    booking.order,
                    int(booking.amount * 100),
                    str(booking.ratio),
                    booking.reason,
                    booking.booked_at,
                ),
            )
            return Booked(booking, again=False, refunded=before + booking.amount)

    def find(self, key: str) -> Booking | None:
        """The booking under this key."""
        if not self._path.exists():
            return None
        with self._opened() as connection:
            return _find(connection, key)

    def refunded(self, order: str) -> Decimal:
        """What has been refunded of an order."""
        if not self._path.exists():
            return Decimal(0)
        with self._opened() as connection:
            return _refunded(connection, order)

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """A transaction that nobody else writes beside; the file is made when it is not there."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_SECONDS, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    _prepare(connection, self._path)
                    yield connection
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            what = f"the ledger of refunds {self._path} cannot be used: {error}"
            raise ToolError("ledger", what, retryable=True, hint="Nothing was booked. Tell a person.") from error


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    if mark == APPLICATION:
        return
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables:
        what = f"{path} is a database of something else; no refund is written into it"
        raise ToolError("ledger", what, hint="Tell a person: the shop file names the wrong ledger.")
    connection.execute(_TABLE)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")


def _find(connection: sqlite3.Connection, key: str) -> Booking | None:
    row = connection.execute("SELECT * FROM refunds WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    key, order, cents, ratio, reason, booked_at = row
    return Booking(key, order, Decimal(cents).scaleb(-2), Decimal(ratio), reason, booked_at)


def _refunded(connection: sqlite3.Connection, order: str) -> Decimal:
    (cents,) = connection.execute(
        "SELECT coalesce(sum(cents), 0) FROM refunds WHERE order_number = ?", (order,)
    ).fetchone()
    return Decimal(cents).scaleb(-2)


def _too_much(booking: Booking, before: Decimal, most: Decimal) -> ToolError:
    left = most - before
    what = f"{booking.amount} of order {booking.order} would be refunded, but only {left} of {most} is left"
    share = (left / most).quantize(Decimal("0.0001")) if most else Decimal(0)
    hint = f"At most the ratio {share} is left." if left > 0 else "All of it has been refunded already: say so."
    return ToolError("too_much", f"{what}: {before} was refunded before", hint=hint)


def now() -> str:
    """The present moment, as it is booked."""
    return datetime.now(UTC).isoformat(timespec="seconds")
