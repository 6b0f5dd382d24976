"""SQLite as the store's database: one file in WAL mode, one connection that writes, a few that read."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, NullPool, QueuePool, create_engine, event

from orchestrator.adapters.sql.failures import plain_errors
from orchestrator.adapters.sql.group_commit import GroupCommit
from orchestrator.adapters.sql.lease_time import of_machine
from orchestrator.domain.changes import Change, Fence
from orchestrator.errors import ConfigError
from orchestrator.ports.clock import Clock

BUSY_MILLISECONDS = 5000
READERS = 8

T = TypeVar("T")


class SqliteDatabase:
    """A SQLite file; what several threads write at the same time is committed together."""

    def __init__(self, path: Path, clock: Clock) -> None:
        create_private(path)
        self.lease_time = of_machine(clock)
        self.where = str(path)
        self.writing = _engine(path, readers=0)
        self._reading = _engine(path, readers=READERS)
        self._writer = GroupCommit(self.writing, self.where)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a durable transaction, perhaps together with others'."""
        with plain_errors(self.where):
            return self._writer.run(work)

    def write_one(self, work: Callable[[Connection], T]) -> T:
        """A single statement is committed like any other work here."""
        return self.write(work)

    def save_step(self, changes: Sequence[Change], fence: Fence | None) -> bool:
        """There is no way to be saved to a database in this process."""
        del changes, fence
        return False

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads."""
        with plain_errors(self.where), self._reading.connect() as connection:
            return work(connection)

    def close(self) -> None:
        """Finish what is being written and close all connections."""
        self._writer.close()
        self._reading.dispose()
        self.writing.dispose()


def create_private(path: Path) -> None:
    """Make the file, readable by its owner only, before SQLite would make it readable by all."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if path.is_dir():
            raise ConfigError("the database is a folder", where=str(path), mend="Name a file.") from None
    except OSError as error:
        raise ConfigError(
            f"the database cannot be created ({error.strerror})", where=str(path), mend="Check the folder."
        ) from None


def _engine(path: Path, readers: int) -> Engine:
    url = URL.create("sqlite+pysqlite", database=str(path))
    pool: dict[str, Any] = (
        {"poolclass": QueuePool, "pool_size": readers, "max_overflow": readers, "pool_reset_on_return": None}
        if readers
        else {"poolclass": NullPool}
    )
    # Transactions are ours: the driver's own would begin late and without IMMEDIATE.
    # What a connection is used for changes threads: whoever leads a group commit writes on the one there is.
    engine = create_engine(url, isolation_level="AUTOCOMMIT", connect_args={"check_same_thread": False}, **pool)

    def prepare(connection: Any, _: object) -> None:
        connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA cache_size=-16000")
        if readers:
            connection.execute("PRAGMA query_only=ON")

    event.listen(engine, "connect", prepare)
    return engine
