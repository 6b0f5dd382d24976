"""Rows of the ledger: reading them under their locks and writing them back."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select, update

from orchestrator.adapters.sql.rows import AnyRow
from orchestrator.adapters.sql.schema import ledger
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.budget import IN_PART, Kind, OnLimit, Standing

_ACCOUNT = ledger.c.account == bindparam("the_account")
_KIND = ledger.c.kind == bindparam("the_kind")
_COLUMNS = (
    ledger.c.account,
    ledger.c.kind,
    ledger.c.parent,
    ledger.c.most,
    ledger.c.held,
    ledger.c.spent,
    ledger.c.reserved,
    ledger.c.on_limit,
    ledger.c.asks,
)
_OF_ACCOUNT = select(*_COLUMNS).where(_ACCOUNT).order_by(ledger.c.kind)
_LOCK_ACCOUNT = _OF_ACCOUNT.with_for_update()
_LOCK_LINE = select(*_COLUMNS).where(_ACCOUNT, _KIND).with_for_update()
_LOCK_BELOW = (
    select(*_COLUMNS)
    .where(
        ledger.c.parent == bindparam("the_account"),
        _KIND,
        ledger.c.account != bindparam("but_not"),
        ledger.c.held > ledger.c.spent,
    )
    .order_by(ledger.c.account)
    # Whoever is at work with its own line just now keeps it: waiting for it could be waiting for each other.
    .with_for_update(skip_locked=True)
)
_WRITE = (
    update(ledger)
    .where(_ACCOUNT, _KIND)
    .values(held=bindparam("to_held"), spent=bindparam("to_spent"), reserved=bindparam("to_reserved"))
)
_BELOW = select(ledger.c.account, ledger.c.spent).where(_ACCOUNT, _KIND).cte("below", recursive=True)
_TREE = _BELOW.union_all(
    select(ledger.c.account, ledger.c.spent).join(_BELOW, ledger.c.parent == _BELOW.c.account).where(_KIND)
)
_SETTLED = select(func.sum(_TREE.c.spent))


@dataclass(slots=True)
class Line:
    """One kind of one account, under its lock."""

    account: str
    kind: Kind
    parent: str | None
    most: int | None
    held: int | None
    spent: int
    reserved: int
    on_limit: OnLimit | None
    asks: int

    def within_own(self, need: int) -> bool:
        """True when the account's own limit leaves room for so much, or for a part of it where that is enough."""
        return self.most is None or self.most - self.spent - self.reserved >= least(self.kind, need)

    def within_drawn(self, need: int) -> bool:
        """The same for what it has drawn from its parent."""
        return self.held is None or self.held - self.spent - self.reserved >= least(self.kind, need)

    def free(self, need: int) -> int:
        """What can be given out now, where `need` is wanted; a line with room beyond counting has 32 times that."""
        room = [total - self.spent - self.reserved for total in (self.most, self.held) if total is not None]
        return min(room, default=32 * need)

    def missing(self, need: int) -> int:
        """How much more has to be drawn from the parent for so much."""
        if self.held is None or self.within_drawn(need):
            return 0
        return need - (self.held - self.spent - self.reserved)


def least(kind: Kind, need: int) -> int:
    """What is enough to begin with, where so much may be needed."""
    return min(1, need) if kind in IN_PART else need


def lock_account(tx: Transaction, account: str) -> list[Line]:
    """All lines of an account, by kind."""
    return [_line(row) for row in tx.connection.execute(_LOCK_ACCOUNT, {"the_account": account})]


def lock_line(tx: Transaction, account: str, kind: Kind) -> Line | None:
    """One line."""
    row = tx.connection.execute(_LOCK_LINE, {"the_account": account, "the_kind": kind.value}).one_or_none()
    return None if row is None else _line(row)


def lock_below(tx: Transaction, line: Line, but_not: str) -> list[Line]:
    """Lines that draw from this one and hold more than they have used."""
    values = {"the_account": line.account, "the_kind": line.kind.value, "but_not": but_not}
    return [_line(row) for row in tx.connection.execute(_LOCK_BELOW, values)]


def write(tx: Transaction, lines: Sequence[Line]) -> None:
    """Store what has changed in locked lines."""
    values = [
        {
            "the_account": line.account,
            "the_kind": line.kind.value,
            "to_held": line.held,
            "to_spent": line.spent,
            "to_reserved": line.reserved,
        }
        for line in lines
    ]
    if values:
        tx.connection.execute(_WRITE, values if len(values) > 1 else values[0])


def settled(tx: Transaction, line: Line) -> int:
    """What has been used for good by the account and all below it."""
    values = {"the_account": line.account, "the_kind": line.kind.value}
    return int(tx.connection.scalar(_SETTLED, values) or 0)


def standing(connection: Connection, account: str) -> Sequence[Standing]:
    """Where an account stands."""
    lines = [_line(row) for row in connection.execute(_OF_ACCOUNT, {"the_account": account})]
    return [
        Standing(
            id=line.account,
            kind=line.kind,
            most=line.most,
            held=line.held,
            spent=line.spent,
            reserved=line.reserved,
            on_limit=line.on_limit or "stop",
            asks=line.asks,
        )
        for line in lines
    ]


def _line(row: AnyRow) -> Line:
    account, kind, *rest = row
    return Line(account, Kind(kind), *rest)
