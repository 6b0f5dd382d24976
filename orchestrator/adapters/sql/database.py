"""What the store needs of a database: transactions that write, connections that read."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from orchestrator.adapters.sql.lease_time import LeaseTime
from orchestrator.domain.changes import Change, Fence

T = TypeVar("T")


class Database(Protocol):
    """Runs work on a connection; nothing of SQLAlchemy's errors leaves it."""

    lease_time: LeaseTime
    where: str
    """The database as people know it, without a password."""

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a durable transaction; it may be run again after a conflict with another one."""
        ...

    def write_one(self, work: Callable[[Connection], T]) -> T:
        """Run work that is a single statement, durably; it may be run twice and must not mind."""
        ...

    def save_step(self, changes: Sequence[Change], fence: Fence | None) -> bool:
        """Apply the changes in less than a transaction, where they only save a new step and this database has a quicker
        way for that; False: nothing was written."""
        ...

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...
