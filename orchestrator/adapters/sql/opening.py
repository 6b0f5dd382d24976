"""Opens the store behind a database URL, its schema migrated."""

import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from orchestrator.adapters.sql.failures import is_busy, plain_errors, unsupported
from orchestrator.adapters.sql.migrating import is_current, refuse_beside_workers, upgrade
from orchestrator.adapters.sql.postgres import PATIENT, PostgresDatabase
from orchestrator.adapters.sql.sqlite import SqliteDatabase
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.errors import ConfigError
from orchestrator.ports.clock import Clock, Deadline, SystemClock

MIGRATION_SECONDS = 60
MIGRATION_LOCK = 0x52454D4954
"""The advisory lock of whoever migrates a PostgreSQL database: `REMIT`."""


def open_store(url: str, clock: Clock, *, migrate: bool = True) -> SqlStore:
    """The store at `url`; ConfigError when the URL or the schema does not fit, StoreError when nobody answers.

    `migrate`: bring an older schema up to date, unless workers that know only that one are at work (StoreError).
    """
    database = open_database(url, clock)
    try:
        bring_up_to_date(database, migrate=migrate)
    except BaseException:
        database.close()
        raise
    return SqlStore(database, clock)


@contextmanager
def temporary_store(clock: Clock | None = None) -> Generator[SqlStore]:
    """A store in a SQLite file that is gone afterwards: the store in memory, but the real thing."""
    with tempfile.TemporaryDirectory(prefix="remit-store-") as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'store.db'}", clock or SystemClock())
        try:
            yield store
        finally:
            store.close()


def open_database(url: str, clock: Clock, *, patient: bool = False) -> SqliteDatabase | PostgresDatabase:
    """The database at `url`, whatever stands in it. Raises ConfigError when the URL names none.

    `patient`: for questions that look through whole tables.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise unsupported(url) from None
    if parsed.get_backend_name() == "sqlite":
        if not parsed.database or parsed.database == ":memory:" or parsed.query:
            raise ConfigError(f"`{url}` names no file", mend="Write sqlite:////absolute/path/remit.db.")
        return SqliteDatabase(Path(parsed.database), clock)
    if parsed.drivername in {"postgresql", "postgresql+psycopg"}:
        return PostgresDatabase(parsed, PATIENT if patient else "")
    raise unsupported(parsed.render_as_string(hide_password=True))


def bring_up_to_date(
    database: SqliteDatabase | PostgresDatabase, *, migrate: bool = True, beside_workers: bool = False
) -> None:
    """Run the migrations that are missing, if this process may; see `open_store`."""

    def prepare(connection: Connection) -> None:
        if not migrate:
            raise not_migrated(database.where)
        if not beside_workers:
            refuse_beside_workers(connection, database.lease_time, database.where)
        upgrade(connection)

    if isinstance(database, SqliteDatabase):
        with plain_errors(database.where):
            _prepare_sqlite(database.writing, database.where, prepare)
    else:
        database.write(lambda connection: _prepare_postgres(connection, database.where, prepare))


def _prepare_postgres(connection: Connection, where: str, prepare: Callable[[Connection], None]) -> None:
    if is_current(connection, where):
        return
    connection.execute(text("SET LOCAL lock_timeout = 0"))
    connection.execute(text("SET LOCAL statement_timeout = 0"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
    if not is_current(connection, where):
        prepare(connection)


def _prepare_sqlite(engine: Engine, where: str, prepare: Callable[[Connection], None]) -> None:
    with engine.connect() as connection:
        _to_wal(connection)
        if is_current(connection, where):
            return
        _begin_patiently(connection)
        try:
            if not is_current(connection, where):
                prepare(connection)
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def _to_wal(connection: Connection) -> None:
    """Switch to WAL; SQLite does not wait for others here, so we do."""
    deadline = Deadline.after(MIGRATION_SECONDS)
    while True:
        try:
            connection.execute(text("PRAGMA journal_mode=WAL"))
        except DBAPIError as error:
            if not is_busy(error) or deadline.passed():
                raise
            time.sleep(0.01)
        else:
            return


def _begin_patiently(connection: Connection) -> None:
    """Take the write lock; another process may be migrating just now."""
    deadline = Deadline.after(MIGRATION_SECONDS)
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except DBAPIError as error:
            if not is_busy(error) or deadline.passed():
                raise
        else:
            return


def not_migrated(where: str) -> ConfigError:
    """The schema is older than the code, and this process may not change it."""
    return ConfigError(
        "the database's schema is not the one this Remit works with",
        where=where,
        mend="Start one process that may migrate it first.",
    )
