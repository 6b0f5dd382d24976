"""What only PostgreSQL needs: its indexes looked at, its tables vacuumed, and its own tools named for backups."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from sqlalchemy import Connection, text

from orchestrator.adapters.sql.failures import plain_errors
from orchestrator.adapters.sql.postgres import PostgresDatabase
from orchestrator.adapters.sql.schema import metadata
from orchestrator.errors import ConfigError

_BROKEN = text(
    "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
    "WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace ORDER BY 1"
)
_SIZE = text(
    "SELECT coalesce(sum(pg_total_relation_size(format('%I', name)::regclass)), 0) "
    "FROM unnest(CAST(:names AS text[])) name"
)


def broken_indexes(connection: Connection) -> Iterator[str]:
    """Indexes that PostgreSQL itself does not trust."""
    for name in connection.scalars(_BROKEN):
        yield f"index {name} is not valid: make it anew with REINDEX INDEX {name}"


def size(connection: Connection) -> int:
    """The bytes of our tables and their indexes."""
    return int(connection.scalar(_SIZE, {"names": _names()}) or 0)


def tidy(database: PostgresDatabase) -> tuple[int, int]:
    """Vacuum and analyse our tables, one after the other; nobody is held up. The bytes before and after."""
    before = database.read(size)
    with plain_errors(database.where), database.alone.connect() as connection:
        for name in _names():
            connection.exec_driver_sql(f"VACUUM (ANALYZE) {name}")
    return before, database.read(size)


def back_up(where: str, file: Path) -> int:
    """PostgreSQL has better: its own tool. Always raises ConfigError."""
    raise ConfigError(
        "PostgreSQL makes its own backups",
        where=where,
        mend=f"Use: pg_dump --format=custom --file={quote(str(file))} {quote(where)}",
    )


def _names() -> list[str]:
    return [table.name for table in metadata.sorted_tables]
