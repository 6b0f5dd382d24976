"""PostgreSQL as the store's database: pooled connections, short transactions that are tried again after a conflict."""

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import psycopg
from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection, create_engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from orchestrator.adapters.sql.failures import GOING_AWAY, is_transient, plain_errors
from orchestrator.adapters.sql.lease_time import of_database
from orchestrator.adapters.sql.step_in_one import StepInOne, step_in_one
from orchestrator.domain.changes import Change, Fence
from orchestrator.errors import StoreError

TRIES = 6
FIRST_PAUSE = 0.02
"""Seconds; doubled with every try, and half of it is chance."""
CONNECTIONS = 8

T = TypeVar("T")

_SESSION = (
    "-c timezone=UTC -c default_transaction_isolation=read\\ committed "
    "-c lock_timeout=3s -c statement_timeout=30s -c idle_in_transaction_session_timeout=30s"
)
PATIENT = "-c statement_timeout=0"
"""The session of whoever looks through whole tables."""
_CONNECT = {
    "connect_timeout": 5,
    "application_name": "remit",
    # A server that is gone without a word is noticed within seconds, not hours.
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "options": _SESSION,
}


class PostgresDatabase:
    """A PostgreSQL database; rows are locked in the order of their ids, leases go by its clock."""

    def __init__(self, url: URL, session: str = "") -> None:
        """`session`: options of its sessions that differ from the usual ones."""
        self.lease_time = of_database()
        self.where = url.set(drivername="postgresql").render_as_string(hide_password=True)
        self.engine = _engine(url, session)
        self.alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        """The same connections, each statement a transaction by itself."""

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a transaction; conflicts with others before the commit are tried again."""
        with plain_errors(self.where):
            return self._patiently(lambda: self._transaction(work))

    def write_one(self, work: Callable[[Connection], T]) -> T:
        """Run a single statement, which is its own transaction; sent again when the connection was lost."""
        return self._by_statement(work)

    def save_step(self, changes: Sequence[Change], fence: Fence | None) -> bool:
        """A new step is a single statement. What goes wrong with it is left to a transaction: to succeed, or to say."""
        step = step_in_one(changes, fence)
        if step is None:
            return False
        try:
            pooled = self.engine.raw_connection()
        except SQLAlchemyError:
            return False
        try:
            return self._saved(step, pooled)
        except psycopg.Error:
            return self.read(step.is_saved)
        finally:
            pooled.close()

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, each statement for itself."""
        return self._by_statement(work)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _saved(self, step: StepInOne, pooled: PoolProxiedConnection) -> bool:
        """Raises psycopg's error when the connection was lost: then nobody knows whether the step was saved."""
        driver = cast("psycopg.Connection[Any]", pooled.driver_connection)
        try:
            driver.autocommit = True
            is_saved = step.save(driver)
            driver.autocommit = False
        except BaseException as error:
            pooled.invalidate(error)
            if isinstance(error, psycopg.Error) and error.sqlstate and not error.sqlstate.startswith(GOING_AWAY):
                return False
            raise
        return is_saved

    def _by_statement(self, work: Callable[[Connection], T]) -> T:
        def once() -> T:
            with self.alone.connect() as connection:
                return work(connection)

        with plain_errors(self.where):
            return self._patiently(once)

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        with self.engine.connect() as connection:
            with connection.begin() as transaction:
                result = work(connection)
                try:
                    transaction.commit()
                except DBAPIError as error:
                    raise self._unsure(error) from None
            return result

    def _patiently(self, once: Callable[[], T]) -> T:
        pause = FIRST_PAUSE
        for _ in range(TRIES - 1):
            try:
                return once()
            except SQLAlchemyError as error:
                if not is_transient(error):
                    raise
            time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311  # spreads tries, keeps no secret
            pause *= 2
        return once()

    def _unsure(self, error: DBAPIError) -> Exception:
        """A commit that a lost connection leaves unknown must not be repeated: whoever asked reads again."""
        if error.connection_invalidated:
            return StoreError(
                "the connection broke while a commit was on its way; it may have been done",
                where=self.where,
                mend="Read again before trying again.",
            )
        return error


def _engine(url: URL, session: str) -> Engine:
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={**_CONNECT, "options": _options(url, session)},
        pool_size=CONNECTIONS,
        max_overflow=CONNECTIONS,
        pool_timeout=10,
        pool_use_lifo=True,
    )


def _options(url: URL, session: str) -> str:
    """What the URL itself says about the session is added to ours and wins."""
    given = url.query.get("options")
    return " ".join((_SESSION, session, given if isinstance(given, str) else "")).strip()
