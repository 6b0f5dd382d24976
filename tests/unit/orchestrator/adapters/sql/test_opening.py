"""Opening a store: URLs, files, and what is said when it does not work."""

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from orchestrator.adapters.sql import open_store, temporary_store
from orchestrator.domain.identity import Scope
from orchestrator.errors import ConfigError, RemitError, StoreError
from orchestrator.ports.clock import SystemClock

END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'remit'
"""

ANY = Scope(tenant="any")
OPEN_AND_REGISTER = """
import sys
from orchestrator.adapters.sql import open_store
from orchestrator.ports.clock import SystemClock

sys.stdin.readline()
store = open_store(sys.argv[1], SystemClock())
store.register(sys.argv[2], 60)
store.close()
"""


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "mysql://h/d",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///x.db?mode=ro",
        "postgresql+asyncpg://h/d",
    ],
)
def test_a_url_that_names_no_store(url: str) -> None:
    """Each gets one line that says what to write instead."""
    with pytest.raises(ConfigError) as caught:
        open_store(url, SystemClock())
    assert "Write sqlite:////absolute/path/remit.db" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_password_is_not_repeated() -> None:
    """Neither in a wrong URL nor when nobody answers."""
    for url in ("oracle://u:geheim@h/d", "postgresql://u:geheim@127.0.0.1:1/d"):
        with pytest.raises(RemitError) as caught:
            open_store(url, SystemClock())
        assert "geheim" not in str(caught.value)


def test_a_new_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    """So are the files SQLite makes beside it."""
    store = open_store(f"sqlite:///{tmp_path / 'remit.db'}", SystemClock())
    store.register("w", 60)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    store.close()
    assert modes == {"remit.db": 0o600, "remit.db-shm": 0o600, "remit.db-wal": 0o600}


def test_what_is_no_place_for_a_database(tmp_path: Path) -> None:
    """A folder, a missing folder and rubbish are each said in one line."""
    (tmp_path / "rubbish").write_bytes(b"\x89PNG" * 1000)
    wrong = {tmp_path: "is a folder", tmp_path / "no" / "x.db": "No such file", tmp_path / "rubbish": "not a database"}
    for path, said in wrong.items():
        with pytest.raises(RemitError, match=said) as caught:
            open_store(f"sqlite:///{path}", SystemClock())
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


def test_both_spellings_of_a_postgres_url(pg_url: str) -> None:
    """With and without the driver's name."""
    for url in (pg_url, pg_url.replace("postgresql://", "postgresql+psycopg://")):
        store = open_store(url, SystemClock(), migrate=False)
        assert store.runs(ANY, 1) == []
        store.close()


def test_a_database_nobody_answers_for() -> None:
    """Said in one line, within seconds."""
    with pytest.raises(StoreError, match="Check that the database runs") as caught:
        open_store("postgresql://remit@127.0.0.1:1/remit", SystemClock())
    assert "\n" not in str(caught.value)


def test_a_connection_that_was_cut_is_made_anew(pg_url: str) -> None:
    """The server ends all connections between two calls: nobody notices."""
    store = open_store(pg_url, SystemClock())
    store.register("w", 60)
    with psycopg.connect(pg_url, autocommit=True) as connection:
        connection.execute(END_OTHERS)
    assert store.runs(ANY, 1) == []
    with psycopg.connect(pg_url, autocommit=True) as connection:
        connection.execute(END_OTHERS)
    store.notified(["r1/a"])
    with psycopg.connect(pg_url, autocommit=True) as connection:
        connection.execute(END_OTHERS)
    assert store.renew("w", 60)
    store.close()


def test_a_locked_file_is_said_and_then_works(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program holds the write lock for too long."""
    monkeypatch.setattr("orchestrator.adapters.sql.sqlite.BUSY_MILLISECONDS", 20)
    store = open_store(sqlite_url, SystemClock())
    blocker = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="Another process is writing for too long"):
        store.register("w", 60)
    assert store.leases() == []
    blocker.execute("ROLLBACK")
    blocker.close()
    store.register("w", 60)
    assert [one.worker_id for one in store.leases()] == ["w"]
    store.close()


def test_a_closed_store_says_so(sqlite_url: str) -> None:
    """Closing twice is harmless."""
    store = open_store(sqlite_url, SystemClock())
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.register("w", 60)


def test_a_temporary_store_leaves_nothing() -> None:
    """It is a real one while it lasts."""
    with temporary_store() as store:
        store.register("w", 60)
        assert [one.worker_id for one in store.leases()] == ["w"]
    with pytest.raises(StoreError):
        store.register("v", 60)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_that_open_a_new_database_at_once(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """One migrates, the others wait for it; all work on the same database afterwards."""
    url = f"sqlite:///{tmp_path / 'new.db'}"
    if kind == "postgres":
        url = request.getfixturevalue("postgres").new_database(migrated=False)
    command = [sys.executable, "-c", OPEN_AND_REGISTER, url]
    processes = [
        subprocess.Popen([*command, f"w{n}"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for n in range(3)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
    store = open_store(url, SystemClock(), migrate=False)
    assert [one.worker_id for one in store.leases()] == ["w0", "w1", "w2"]
    store.close()
