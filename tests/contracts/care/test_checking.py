"""Contract of care: a sound database has nothing wrong, and each kind of damage is named in one line."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import ProgrammingError

from orchestrator.adapters.blobs import FolderBlobs
from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.care import open_care
from orchestrator.adapters.sql.care.sql_care import SqlCare
from orchestrator.adapters.sql.schema import REVISIONS
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.engine.services import caring
from orchestrator.engine.services.caring import Caretaker, Inventory
from orchestrator.errors import StoreError

FILLED = {"runs", "subtasks", "edges", "steps", "effects", "observations", "findings", "tickets", "workers", "audit"}
OpenRun = Callable[..., None]
EndRun = Callable[[str], None]


def broken(engine: Engine, *statements: str) -> None:
    """Change rows as only somebody can who goes around the store."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            try:
                connection.execute(text("SET session_replication_role = replica"))
            except ProgrammingError:
                pytest.skip("only a superuser of PostgreSQL may write rows whose references lead nowhere")
        for statement in statements:
            connection.execute(text(statement))


def test_a_sound_database(caretaker: Caretaker, open_run: OpenRun, end_run: EndRun) -> None:
    """Runs at work and ended ones with rows in every table: nothing is wrong, and everything is counted."""
    for run_id in ("r1", "r2"):
        open_run(run_id)
    end_run("r2")
    assert list(caretaker.faults()) == []
    found = caretaker.inventory()
    assert (found.contents, found.unused) == (8, 0)
    filled = {name for name, count in found.rows.items() if count}
    assert filled >= FILLED | {"ledger"}
    assert (found.rows["runs"], found.rows["subtasks"], found.rows["audit"]) == (2, 4, 3)


def test_an_empty_database(caretaker: Caretaker) -> None:
    """It has tables and nothing in them."""
    assert list(caretaker.faults()) == []
    assert caretaker.inventory() == Inventory(dict.fromkeys(caretaker.inventory().rows, 0), 0, 0, 0, 0)


def test_contents_that_are_missing_or_damaged(
    caretaker: Caretaker, open_run: OpenRun, blobs: FolderBlobs, tmp_path: Path
) -> None:
    """Inputs, observations, files and teams, each with the runs that need it."""
    open_run("r1", input=b"shared")
    open_run("r2", input=b"shared")
    shared, file, large, team = (
        blobs.local(blobs.put(one)) for one in (b"shared", b"r1 file", b"r1 large", b"r2 team")
    )
    for path in (shared, file, large):
        path.unlink()
    team.chmod(0o600)
    team.write_bytes(b"r2 tean")
    found = sorted(line.partition(": ")[2] for line in caretaker.faults())
    assert found == [
        "the stored content is damaged: it does not match its address (of run r2)",
        "there is no such stored content (of run r1)",
        "there is no such stored content (of run r1)",
        "there is no such stored content (of run r1, r2)",
    ]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM subtasks WHERE id = 'r1/a'", "steps: 1 row without subtasks, such as of r1/a (by subtask_id)"),
        ("UPDATE subtasks SET parent_id = 'r1/gone' WHERE id = 'r1/b'", "subtasks: 1 row without subtasks"),
        ("UPDATE edges SET run_id = 'gone'", "edges: 1 row without runs, such as of gone (by run_id)"),
        ("UPDATE runs SET status = 'done'", "run r1: it has ended, but 2 of its subtasks have not"),
        ("UPDATE audit SET action = 'other'", "run r1: its audit was changed at entry 1"),
        ("UPDATE audit SET actor = 'nobody'", "run r1: entry 1 of its audit cannot be read"),
        ("DELETE FROM audit", "run r1: the end of its audit is missing"),
    ],
)
def test_rows_that_are_wrong(
    caretaker: Caretaker, engine: Engine, open_run: OpenRun, statement: str, said: str
) -> None:
    """Orphans, an ended run that goes on, an audit that was tampered with."""
    open_run("r1")
    broken(engine, statement)
    found = list(caretaker.faults())
    assert any(line.startswith(said) for line in found), found
    assert all("\n" not in line for line in found)


def test_a_damaged_file_of_sqlite(sqlite_url: str, clock: ShiftedClock) -> None:
    """Its own check finds it: an index that does not fit its table any more."""
    care = open_care(sqlite_url, clock)
    path = Path(care.where)
    broken_file = bytearray(path.read_bytes())
    page = 4096
    for start in range(5 * page, len(broken_file) - page, page):
        broken_file[start + 8 : start + 40] = b"\xff" * 32
    path.write_bytes(broken_file)
    try:
        found = list(care.damage())
    except StoreError as error:
        found = [str(error)]
    assert found
    assert "malformed" in found[0] or "SQLite says" in found[0]
    assert "\n" not in found[0]
    care.close()


def test_another_schema(caretaker: Caretaker, engine: Engine) -> None:
    """Older, newer or none: one line that says what to do, and no other question is asked."""
    for found, said in (("0001", "remit db migrate"), ("9999", "upgrade Remit")):
        broken(engine, f"UPDATE alembic_version SET version_num = '{found}'")
        (line,) = caretaker.faults()
        assert found in line
        assert said in line
    with pytest.raises(StoreError, match="Upgrade Remit"):
        caretaker.tidy(anyway=True)
    broken(engine, f"UPDATE alembic_version SET version_num = '{REVISIONS[-1]}'")
    assert list(caretaker.faults()) == []


def test_no_tables(tmp_path: Path, clock: ShiftedClock, blobs: FolderBlobs, caretaker: Caretaker) -> None:
    """A new file is said to have none, and gets them."""
    care = open_care(f"sqlite:///{tmp_path / 'new.db'}", clock)
    new = Caretaker(care, blobs, caretaker.traces, clock)
    (line,) = new.faults()
    assert "there are no tables yet" in line
    assert new.migrate(anyway=False).missing == REVISIONS
    assert list(new.faults()) == []
    assert new.migrate(anyway=False).missing == ()
    care.close()


def test_tidying_up(caretaker: Caretaker, care: SqlCare, open_run: OpenRun, clock: ShiftedClock) -> None:
    """Contents that nobody refers to go once they are a day old; nothing else is touched."""
    open_run("r1")
    blobs = caretaker.blobs
    unused = blobs.put(b"nobody's")
    assert caretaker.inventory().unused_size == 8
    first = caretaker.tidy(anyway=False)
    assert first.swept.contents == 0
    clock.advance(90_000)
    done = caretaker.tidy(anyway=False)
    assert (done.swept.contents, done.swept.size) == (1, 8)
    assert min(done.before, done.after) > 0  # statistics may take more room than was won
    assert unused not in dict(blobs.stored())
    assert list(caretaker.faults()) == []


def test_a_large_file_is_not_written_anew_under_workers(
    caretaker: Caretaker, store: SqlStore, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would wait for longer than a lease; PostgreSQL holds nobody up. Told, or without workers, it is done."""
    monkeypatch.setattr(caring, "LARGE", 0)
    store.register("w", 3600)
    if store_url.startswith("sqlite"):
        with pytest.raises(StoreError, match="1 at work would wait") as caught:
            caretaker.tidy(anyway=False)
        assert "--anyway" in str(caught.value)
    else:
        caretaker.tidy(anyway=False)
    assert caretaker.tidy(anyway=True).after > 0
    store.expire("w")
    assert caretaker.tidy(anyway=False).after > 0


def test_a_file_with_holes_is_made_small_again(sqlite_url: str, clock: ShiftedClock) -> None:
    """Half a megabyte that was deleted is won."""
    care = open_care(sqlite_url, clock)
    with sqlite3.connect(care.where) as connection:
        connection.execute("CREATE TABLE large (x)")
        connection.execute("INSERT INTO large VALUES (zeroblob(500000))")
        connection.execute("DROP TABLE large")
    connection.close()
    before, after = care.tidy()
    assert before - after >= 500_000
    assert care.size() == after
    care.close()
