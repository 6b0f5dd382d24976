"""The schema: what migrations make is what the code works with, and a newer one is refused."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, bindparam, create_engine, inspect, make_url, text

from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.kinds import UtcTime
from orchestrator.adapters.sql.migrating import MIGRATIONS, upgrade
from orchestrator.adapters.sql.schema import REVISIONS, metadata
from orchestrator.errors import ConfigError
from orchestrator.ports.clock import SystemClock

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
_POSTGRES_COLUMNS = """
SELECT c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, co.collname,
       pg_get_expr(d.adbin, d.adrelid), c.reloptions::text
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation co ON co.oid = a.attcollation
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND c.relname <> 'alembic_version'
"""
_POSTGRES_INDEXES = (
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
)
_POSTGRES_CONSTRAINTS = """
SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND conrelid <> 'alembic_version'::regclass
"""
_RUN_OF_0003 = text("""
INSERT INTO runs (id, tenant, status, revision, version, replans, reviews, trace, team_blob, created_at, finished_at,
                  goal, rules, next_number, audit_n, audit_digest)
VALUES (:id, 't', :status, 0, 1, 0, 0, '', '', :at, :ended, '{}', '{}', 1, 0, '')
""").bindparams(bindparam("at", type_=UtcTime()), bindparam("ended", type_=UtcTime()))


def clauses(sql: str) -> list[str]:
    """What stands in a CREATE, in any order: SQLite puts a column that was added behind the constraints."""
    head, _, body = " ".join(sql.split()).partition("(")
    return [head, *sorted(clause.strip() for clause in re.split(r",(?![^(]*\))", body.removesuffix(")")))]


def shape(engine: Engine) -> Mapping[str, Any]:
    """Every table, column, index and constraint, as the database itself describes it."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE tbl_name <> 'alembic_version'"))
            return {row.name: clauses(row.sql) for row in rows if row.sql}
        connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version ()"))
        queries = (_POSTGRES_COLUMNS, _POSTGRES_INDEXES, _POSTGRES_CONSTRAINTS)
        return {row[0]: tuple(row[1:]) for query in queries for row in connection.execute(text(query))}


def engine_of(url: str) -> Engine:
    return create_engine(make_url(url.replace("postgresql://", "postgresql+psycopg://")))


@pytest.fixture
def empty_url(store_url: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without tables, of the same kind as the store's."""
    if store_url.startswith("sqlite"):
        return f"sqlite:///{tmp_path / 'made.db'}"
    url: str = request.getfixturevalue("postgres").new_database(migrated=False)
    return url


def test_migrations_make_the_tables_of_the_code(empty_url: str, store_url: str) -> None:
    """Column by column, index by index."""
    made, migrated = engine_of(empty_url), engine_of(store_url)
    metadata.create_all(made)
    expected = shape(made)
    assert shape(migrated) == expected
    assert len(expected) > 20
    made.dispose()
    migrated.dispose()


def test_the_code_knows_every_migration() -> None:
    """The list of revisions is the chain of the migrations, up to its only head."""
    scripts = ScriptDirectory(str(MIGRATIONS))
    chain = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(chain)) == REVISIONS
    assert scripts.get_heads() == [REVISIONS[-1]]


def test_a_database_of_a_newer_remit_is_refused(store_url: str) -> None:
    """Nothing is changed in it."""
    engine = engine_of(store_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for migrate in (True, False):
        with pytest.raises(ConfigError, match="a newer Remit wrote this database") as caught:
            open_store(store_url, SystemClock(), migrate=migrate)
        assert "\n" not in str(caught.value)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
    engine.dispose()


def test_a_process_that_may_not_migrate_says_so(empty_url: str) -> None:
    """An empty database stays empty."""
    with pytest.raises(ConfigError, match="schema is not the one"):
        open_store(empty_url, SystemClock(), migrate=False)
    open_store(empty_url, SystemClock()).close()
    open_store(empty_url, SystemClock(), migrate=False).close()


def test_a_migration_that_fails_leaves_nothing(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it is one transaction: the next process finds the database as it was."""

    def broken(*_: object) -> None:
        message = "power cut"
        raise RuntimeError(message)

    create_index = Operations.create_index
    monkeypatch.setattr(Operations, "create_index", broken)
    with pytest.raises(RuntimeError, match="power cut"):
        open_store(empty_url, SystemClock())
    engine = engine_of(empty_url)
    assert inspect(engine).get_table_names() == []
    engine.dispose()
    monkeypatch.setattr(Operations, "create_index", create_index)
    open_store(empty_url, SystemClock()).close()


def test_runs_that_had_ended_count_as_traced(empty_url: str) -> None:
    """0004: their root spans were exported when they ended; those of the others are still to come."""
    engine = engine_of(empty_url)
    with engine.begin() as connection:
        upgrade(connection, "0003")
        for name, status, ended in (("old", "done", MONDAY), ("open", "running", None)):
            connection.execute(_RUN_OF_0003, {"id": name, "status": status, "at": MONDAY, "ended": ended})
        upgrade(connection)
        assert dict(connection.execute(text("SELECT id, traced FROM runs")).all()) == {"old": True, "open": False}
    engine.dispose()
