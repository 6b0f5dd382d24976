"""The port of care over a SQL database."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select

from orchestrator.adapters.sql.care import of_postgres, of_sqlite
from orchestrator.adapters.sql.care.damage import wrong_rows
from orchestrator.adapters.sql.care.pruning import old_runs, remove_runs
from orchestrator.adapters.sql.care.references import blobs_in_use
from orchestrator.adapters.sql.care.unended import unended
from orchestrator.adapters.sql.migrating import at_work, is_current, schema_of
from orchestrator.adapters.sql.opening import bring_up_to_date, open_database
from orchestrator.adapters.sql.postgres import PostgresDatabase
from orchestrator.adapters.sql.schema import metadata, runs
from orchestrator.adapters.sql.sqlite import SqliteDatabase
from orchestrator.ports.care import BlobUse, Old, Schema, Unended
from orchestrator.ports.clock import Clock


def open_care(url: str, clock: Clock) -> "SqlCare":
    """Care of the database at `url`, whatever its schema. Raises ConfigError when the URL names none."""
    return SqlCare(open_database(url, clock, patient=True))


class SqlCare:
    """Every method is one or a few questions; see the port for what each promises."""

    def __init__(self, database: SqliteDatabase | PostgresDatabase) -> None:
        self._database = database

    @property
    def where(self) -> str:
        """The database as people know it."""
        return self._database.where

    def schema(self) -> Schema:
        """Which schema it has."""
        return self._database.read(schema_of)

    def at_work(self) -> Sequence[str]:
        """Workers whose lease has not passed."""
        return self._database.read(lambda connection: at_work(connection, self._database.lease_time))

    def migrate(self, *, anyway: bool) -> Schema:
        """Bring the schema up to date; what it was before."""
        before = self.schema()
        self._database.read(lambda connection: is_current(connection, self.where))
        bring_up_to_date(self._database, beside_workers=anyway)
        return before

    def damage(self) -> Iterator[str]:
        """What is wrong, a line each."""
        if isinstance(self._database, SqliteDatabase):
            yield from self._database.read(lambda connection: list(of_sqlite.broken_pages(connection)))
        else:
            yield from self._database.read(lambda connection: list(of_postgres.broken_indexes(connection)))
        yield from wrong_rows(self._database.read)

    def counts(self) -> Mapping[str, int]:
        """How many rows each table has."""

        def counted(connection: Connection) -> dict[str, int]:
            tables = metadata.sorted_tables
            return {one.name: connection.scalar(select(func.count()).select_from(one)) or 0 for one in tables}

        return self._database.read(counted)

    def blobs_in_use(self) -> Iterator[BlobUse]:
        """Every stored content that some row refers to."""
        return blobs_in_use(self._database.read)

    @property
    def tidying_blocks(self) -> bool:
        """SQLite has one lock for all who write."""
        return isinstance(self._database, SqliteDatabase)

    def size(self) -> int:
        """The bytes on disk."""
        if isinstance(self._database, SqliteDatabase):
            return of_sqlite.size(self.where)
        return self._database.read(of_postgres.size)

    def tidy(self) -> tuple[int, int]:
        """Give unused room back."""
        if isinstance(self._database, SqliteDatabase):
            return of_sqlite.tidy(self._database)
        return of_postgres.tidy(self._database)

    def back_up(self, file: Path) -> int:
        """Write a copy into a new file."""
        if isinstance(self._database, SqliteDatabase):
            return of_sqlite.back_up(self.where, file)
        return of_postgres.back_up(self.where, file)

    def old_runs(self, before: datetime, limit: int, after: str = "") -> Sequence[Old]:
        """Ended runs that may be removed."""
        return self._database.read(lambda connection: old_runs(connection, before, limit, after))

    def remove_runs(self, run_ids: Collection[str], before: datetime) -> Sequence[str]:
        """Remove ended runs."""
        return self._database.write(lambda connection: remove_runs(connection, run_ids, before))

    def traces(self) -> frozenset[str]:
        """The trace ids of all runs."""
        found = self._database.read(lambda connection: connection.scalars(select(runs.c.trace)).all())
        return frozenset(trace.split("-")[1] for trace in found if trace.count("-") > 1)

    def unended(self) -> Iterator[Unended]:
        """Runs that have not ended."""
        return unended(self._database.read)

    def close(self) -> None:
        """Give connections back."""
        self._database.close()
