"""Contract of care: migrations run when told, and not under workers that know only the old schema."""

import pytest
from sqlalchemy import Engine, text

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.care.sql_care import SqlCare
from orchestrator.adapters.sql.migrating import upgrade
from orchestrator.adapters.sql.schema import REVISIONS, metadata
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.errors import ConfigError, StoreError


@pytest.fixture
def first_schema(engine: Engine, store: SqlStore) -> str:
    """The database as the very first Remit made it."""
    with engine.begin() as connection:
        metadata.drop_all(connection)
        connection.execute(text("DROP TABLE alembic_version"))
        upgrade(connection, REVISIONS[0])
    return REVISIONS[0]


def test_from_where_to_where(care: SqlCare, first_schema: str) -> None:
    """All migrations that are missing, in order; a second time there is nothing to do."""
    assert care.schema().found == first_schema
    before = care.migrate(anyway=False)
    assert (before.found, before.missing, before.wanted) == (first_schema, REVISIONS[1:], REVISIONS[-1])
    assert care.schema().missing == ()
    assert care.migrate(anyway=False).missing == ()
    assert set(care.counts()) == {table.name for table in metadata.sorted_tables}


def test_not_beside_workers_that_know_the_old_schema(
    care: SqlCare, first_schema: str, store: SqlStore, store_url: str, clock: ShiftedClock
) -> None:
    """Neither by the command nor by a process that just opens the store; unless told, or once they have ended."""
    store.register("host:1:a", 3600)
    for migrate in (lambda: care.migrate(anyway=False), lambda: open_store(store_url, clock)):
        with pytest.raises(StoreError, match=r"a worker of an older Remit is at work \(host:1:a\)") as caught:
            migrate()
        assert "--anyway" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert care.schema().found == first_schema
    store.expire("host:1:a")
    open_store(store_url, clock).close()
    assert care.schema().missing == ()


def test_beside_them_when_told(care: SqlCare, first_schema: str, store: SqlStore) -> None:
    """They go on: what is added does not concern what they know."""
    store.register("host:1:a", 3600)
    care.migrate(anyway=True)
    assert care.schema().missing == ()
    assert store.renew("host:1:a", 3600)
    assert care.at_work() == ["host:1:a"]


def test_never_back(care: SqlCare, engine: Engine) -> None:
    """A database of a newer Remit stays as it is, whatever is told."""
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for anyway in (False, True):
        with pytest.raises(ConfigError, match="a newer Remit wrote this database"):
            care.migrate(anyway=anyway)
    assert care.schema().found == "9999"
