"""A SQLite file on a full disk, or held by somebody else: refused in one line, never half done, and well again."""

import resource
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from orchestrator.adapters.sql import open_store, sqlite
from orchestrator.adapters.sql.care import open_care
from orchestrator.adapters.sql.sqlite import SqliteDatabase
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, Note, OpenRun
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import ENGINE
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec
from orchestrator.errors import StoreError
from orchestrator.ports.clock import SystemClock

ROOM = 40
"""Pages that are left on the disk."""


@pytest.fixture
def path(sqlite_url: str) -> Path:
    """The file."""
    return Path(sqlite_url.removeprefix("sqlite:///"))


@pytest.fixture
def database(path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[SqliteDatabase]:
    """The database, less patient than usual."""
    monkeypatch.setattr(sqlite, "BUSY_MILLISECONDS", 50)
    opened = SqliteDatabase(path, SystemClock())
    yield opened
    opened.close()


@pytest.fixture
def store(database: SqliteDatabase) -> SqlStore:
    """A store with one run."""
    made = SqlStore(database, SystemClock())
    rules = TeamRules(team="demo", specialists=("worker",))
    run = Run(
        id="r1",
        tenant="acme",
        goal=Goal(text="x"),
        rules=rules,
        team_blob="b",
        trace="t",
        created_at=SystemClock().now(),
    )
    made.apply([OpenRun(run)])
    return made


def subtasks(first: int) -> AddSubtasks:
    """Ten subtasks with long instructions."""
    spec = SubtaskSpec(kind="specialist", agent="worker", title="x", instruction="Do it. " * 500)
    new = [NewSubtask(id=f"r1/{n}", run_id="r1", key=str(n), version=1, spec=spec) for n in range(first, first + 10)]
    return AddSubtasks("r1", tuple(new))


def test_a_full_disk(path: Path, store: SqlStore, database: SqliteDatabase) -> None:
    """What was acknowledged is there, of what was refused nothing; with room again all goes on."""
    with closing(sqlite3.connect(path)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()

    def room(count: int) -> None:
        database.write(lambda connection: connection.exec_driver_sql(f"PRAGMA max_page_count={count}").all())

    room(pages + ROOM)
    stored = 0
    with pytest.raises(StoreError, match="full") as caught:
        while stored < 1000:
            store.apply([subtasks(stored), Note("r1", ENGINE, f"added {stored}")])
            stored += 10
    assert "Make room on the disk." in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(store.subtasks("r1")) == stored
    assert [one.action for one in store.audit("r1")] == [f"added {n}" for n in range(0, stored, 10)]
    room(10**6)
    store.apply([subtasks(stored)])
    assert len(store.subtasks("r1")) == stored + 10
    care = open_care(f"sqlite:///{path}", SystemClock())
    assert list(care.damage()) == []
    care.close()


@pytest.fixture
def no_long_files() -> Generator[None]:
    """No file of this process may grow beyond 64 KiB; the system then says so, and not that the disk is full."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, most))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


@pytest.mark.usefixtures("no_long_files")
def test_a_disk_that_takes_no_more(tmp_path: Path) -> None:
    """Where SQLite only says that its input or output failed, room and rights are to be looked at."""
    with pytest.raises(StoreError, match="disk I/O error") as caught:
        open_store(f"sqlite:///{tmp_path / 'new.db'}", SystemClock())
    mend = "Check that the disk has room, and that the file and its folder may be read and written."
    assert str(caught.value).endswith(mend)
    assert "\n" not in str(caught.value)


def test_a_file_that_somebody_else_writes_to(path: Path, store: SqlStore) -> None:
    """After a while of waiting it is said; reading goes on meanwhile, and so does writing afterwards."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked") as caught:
            store.apply([Note("r1", ENGINE, "refused")])
        assert "Another process is writing for too long; try again." in str(caught.value)
        assert store.audit("r1") == []
        other.execute("ROLLBACK")
    store.apply([Note("r1", ENGINE, "done")])
    assert [one.action for one in store.audit("r1")] == ["done"]


def test_a_file_that_may_not_be_written(path: Path, store: SqlStore, database: SqliteDatabase) -> None:
    """It is said what to look at."""
    with pytest.raises(StoreError, match="readonly") as caught:
        database.write(_only_read)
    assert "Check that the file and its folder may be read and written." in str(caught.value)
    store.apply([Note("r1", ENGINE, "done")])
    assert [one.action for one in store.audit("r1")] == ["done"]


def _only_read(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA query_only=ON")
    try:
        connection.exec_driver_sql("DELETE FROM runs")
    finally:
        connection.exec_driver_sql("PRAGMA query_only=OFF")
