"""Care of SQLite: a copy as of one moment, made while others write; PostgreSQL is told to use its own."""

import sqlite3
import stat
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.care.sql_care import SqlCare, open_care
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import Note
from orchestrator.domain.identity import ENGINE, Scope
from orchestrator.errors import ConfigError, InputError, StoreError

ACME = Scope(tenant="acme")


@pytest.fixture
def store_url(sqlite_url: str) -> str:
    """Only SQLite is copied by us."""
    return sqlite_url


@pytest.fixture
def copied(care: SqlCare, tmp_path: Path) -> Callable[[], Path]:
    """Make a copy."""

    def make() -> Path:
        file = tmp_path / "copy.db"
        assert care.back_up(file) == file.stat().st_size
        return file

    return make


@pytest.fixture
def opened(clock: ShiftedClock) -> Generator[Callable[[Path], SqlStore]]:
    """Opens a copy as a store."""
    stores: list[SqlStore] = []

    def make(file: Path) -> SqlStore:
        stores.append(open_store(f"sqlite:///{file}", clock))
        return stores[-1]

    yield make
    for one in stores:
        one.close()


def test_a_copy_is_a_store(
    copied: Callable[[], Path], opened: Callable[[Path], SqlStore], open_run: Callable[..., None], store: SqlStore
) -> None:
    """Whole, one file by itself, for its owner's eyes only; what is written later is not in it."""
    open_run("r1")
    file = copied()
    store.apply([Note("r1", ENGINE, "later")])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.glob("*copy*")] == ["copy.db"]
    copy = opened(file)
    assert copy.run(ACME, "r1") == store.run(ACME, "r1")
    assert copy.steps("r1/a") == store.steps("r1/a")
    assert [one.action for one in copy.audit("r1")] == ["submit"]


def test_nobody_who_writes_is_held_up(
    copied: Callable[[], Path], opened: Callable[[Path], SqlStore], open_run: Callable[..., None], store: SqlStore
) -> None:
    """Copies made while notes are written each hold the chain up to one moment, without a hole."""
    open_run("r1")
    ended = threading.Event()
    written: list[int] = []

    def write() -> None:
        while not ended.is_set():
            store.apply([Note("r1", ENGINE, f"n{len(written)}")])
            written.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            begun = len(written)
            file = copied()
            with closing(sqlite3.connect(file)) as connection:
                (count,) = connection.execute("SELECT audit_n FROM runs").fetchone()
                numbers = [n for (n,) in connection.execute("SELECT n FROM audit ORDER BY n")]
            assert numbers == list(range(1, count + 1))
            assert begun < count <= len(written) + 2
            file.unlink()
    finally:
        ended.set()
        writer.join()


def test_what_cannot_be_written_is_refused(care: SqlCare, tmp_path: Path) -> None:
    """What is there is not written over; each refusal says what is wrong with the name that was given, and no other."""
    there = tmp_path / "there.db"
    there.write_text("mine")
    refused = {
        there: "there is such a file already",
        tmp_path: "this is a folder, a file is wanted",
        tmp_path / "no" / "x.db": "there is no such folder",
        there / "x.db": "there is no such folder",
        tmp_path / ("x" * 300): "File name too long",
        Path("/proc/x.db"): "the file cannot be made",
    }
    for file, said in refused.items():
        with pytest.raises(InputError, match=said) as caught:
            care.back_up(file)
        assert str(file) in str(caught.value) or str(file.parent) in str(caught.value)
        assert "unfinished" not in str(caught.value)
    assert there.read_text() == "mine"
    assert list(tmp_path.glob(".*")) == []


def test_a_full_disk_leaves_no_half_copy(care: SqlCare, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is said in one line, and the name is free again."""
    connect = sqlite3.connect

    def small(database: object, **given: object) -> sqlite3.Connection:
        connection = connect(database, **given)  # type: ignore[arg-type]
        connection.execute("PRAGMA max_page_count=2")
        return connection

    file = tmp_path / "copy.db"
    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(StoreError, match="full") as caught:
        care.back_up(file)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.glob("*copy*")) == []


def test_postgres_has_its_own(pg_url: str, clock: ShiftedClock, tmp_path: Path) -> None:
    """The command is written out, without the password."""
    url = make_url(pg_url).set(password="geheim").render_as_string(hide_password=False)
    care = open_care(url, clock)
    with pytest.raises(ConfigError, match="pg_dump --format=custom --file=") as caught:
        care.back_up(tmp_path / "x.dump")
    assert "geheim" not in str(caught.value)
    care.close()
