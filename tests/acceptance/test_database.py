"""`remit db` and `remit runs prune`, as people use them: while services run, on what is damaged, and with mistakes."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

TEAM = Path(__file__).parent / "crash" / "toil" / "team.toml"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Where the team's tools are."""
    return {"PYTHONPATH": str(TEAM.parent)}


@pytest.fixture
def goal(tmp_path: Path) -> list[str]:
    """A run that measures one thing."""
    parameters = ["--param", "things=1", "--param", f"log={tmp_path / 'toil.log'}"]
    return ["run", "Measure.", "--team", str(TEAM), *parameters, "--json", "--no-ask"]


def all_blobs(home: Path) -> list[Path]:
    """The files with contents."""
    return [path for path in (home / "blobs").glob("??/*") if path.is_file()]


@pytest.mark.embedded  # SQLite is copied by Remit, PostgreSQL by its own tool
def test_care_while_services_run(
    remit: Any, new_remit: Callable[[str], Any], env: dict[str, str], goal: list[str], tmp_path: Path
) -> None:
    """Checked, copied and pruned beside a worker; the copy and the contents give the result in another home."""
    with remit.up(**env):
        first, waits = remit(*goal, **env), remit(*goal, "--param", "ask=yes", **env)
        assert (first.code, waits.code) == (0, 3), f"{first.err}{waits.err}{remit.logs()}"
        checked = remit("db", "check")
        assert (checked.code, checked.err) == (0, "")
        assert "remit.db: all is well" in checked.out
        assert "rows: runs 2, " in checked.out
        migrated = remit("db", "migrate")
        assert (migrated.code, "nothing was to be done" in migrated.out) == (0, True)
        copied = remit("db", "backup", str(tmp_path / "copy.db"))
        assert (copied.code, str(remit.home / "blobs") in copied.out) == (0, True), copied.err
        would = remit("runs", "prune", "--older", "0h", "--dry-run")
        assert would.out.split() == [first.json["run"]]
        assert "1 run with 7 subtasks would be removed" in would.err
        gone = remit("runs", "prune", "--older", "0h")
        assert "1 run with 7 subtasks removed" in gone.err
        missing = remit("runs", "show", first.json["run"])
        assert (missing.code, len(missing.err.splitlines())) == (2, 1)
        assert remit("runs", "show", waits.json["run"]).code == 0
        before = len(all_blobs(remit.home))
        for path in all_blobs(remit.home):
            os.utime(path, (1, 1))
        vacuumed = remit("db", "vacuum")
        assert vacuumed.code == 0, vacuumed.err
        assert "won" in vacuumed.out
        assert 0 < len(all_blobs(remit.home)) <= before
        assert remit("db", "check").code == 0
        answered = remit("tickets", "answer", waits.json["tickets"][0]["id"], "red", "--json", **env)
        assert (answered.code, answered.json["words"]) == (0, ["red"]), answered.err
    other = new_remit("other")
    other.home.mkdir(mode=0o700)
    (tmp_path / "copy.db").rename(other.home / "remit.db")
    shutil.copytree(remit.home / "blobs", other.home / "blobs")
    restored = other("runs", "result", waits.json["run"], "--json")
    assert restored.code == 3, restored.err


@pytest.mark.embedded  # a file can be damaged; PostgreSQL does not take rows that hang on nothing
def test_what_is_wrong_is_said(remit: Any, env: dict[str, str], goal: list[str]) -> None:
    """A content that is gone, a row that hangs on nothing, another schema: a line each, and nobody starts anything."""
    ended = remit(*goal, **env)
    assert ended.code == 0, ended.err
    content = all_blobs(remit.home)[0]
    content.unlink()
    with closing(sqlite3.connect(remit.home / "remit.db")) as connection:
        connection.execute("UPDATE edges SET run_id = 'none' WHERE rowid = (SELECT min(rowid) FROM edges)")
        connection.commit()
    found = remit("db", "check")
    assert found.code == 1
    assert "Traceback" not in found.out + found.err
    marked = [line for line in found.out.splitlines() if line.startswith("✗")]
    assert len(marked) == 2, found.out
    assert f"(of run {ended.json['run']})" in found.out
    assert "edges: 1 row without runs, such as of none" in found.out
    assert found.out.rstrip().endswith("2 problems.")
    with closing(sqlite3.connect(remit.home / "remit.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    for command in (["db", "migrate"], ["db", "vacuum"], ["runs", "prune", "--older", "1d"]):
        newer = remit(*command)
        assert newer.code in {1, 2}
        assert "9999" in newer.err
        assert len(newer.err.splitlines()) == 1
    assert remit("db", "check").out.startswith("✗ schema 9999 is of a newer Remit")
    (remit.home / "remit.db").write_bytes(os.urandom(9000))
    rubbish = remit("db", "check")
    assert (rubbish.code, rubbish.err) == (1, "")
    assert rubbish.out.startswith(f"✗ {remit.home / 'remit.db'}: ")
    assert "The file is damaged or no database of Remit" in rubbish.out


@pytest.mark.parametrize("span", ["3x", "999999w"])
def test_a_span_that_is_none(remit: Any, span: str) -> None:
    """One line, and exit code 2."""
    ended = remit("runs", "prune", "--older", span)
    assert (ended.code, "no span of time" in ended.err, len(ended.err.splitlines())) == (2, True, 1), ended.err


def test_wrong_usage(remit: Any) -> None:
    """What is left out or unknown ends with 2."""
    for command in (["db", "backup"], ["runs", "prune"], ["db", "mend"]):
        assert remit(*command).code == 2


@pytest.mark.embedded
def test_a_place_where_no_copy_can_be(remit: Any, tmp_path: Path) -> None:
    """Each mistake is one line, ends with 2, and changes nothing."""
    there = tmp_path / "there.db"
    there.write_text("mine")
    mistakes = {
        str(there): "there is such a file already",
        str(tmp_path / "no" / "x.db"): "there is no such folder",
        str(tmp_path): "this is a folder, a file is wanted",
        "": "no file is named",
    }
    for name, said in mistakes.items():
        ended = remit("db", "backup", name)
        assert (ended.code, said in ended.err, len(ended.err.splitlines())) == (2, True, 1), ended.err
    assert there.read_text() == "mine"


@pytest.mark.embedded  # the database of a server is there before its tables
def test_a_new_home(remit: Any) -> None:
    """There is nothing to check before it was migrated, and nothing wrong afterwards."""
    new = remit("db", "check")
    assert (new.code, "there are no tables yet" in new.out) == (1, True)
    made = remit("db", "migrate")
    assert (made.code, "schema none → " in made.out) == (0, True)
    assert remit("db", "check").code == 0


def test_postgres(remit: Any, pg_url: str) -> None:
    """The same commands; a backup is left to its own tool."""
    env = {"REMIT_DATABASE_URL": pg_url, "REMIT_BROKER_URL": "redis://127.0.0.1:1/0"}
    assert "all is well" in remit("db", "check", **env).out
    vacuumed = remit("db", "vacuum", **env)
    assert (vacuumed.code, "won" in vacuumed.out) == (0, True), vacuumed.err
    refused = remit("db", "backup", "x.dump", **env)
    assert (refused.code, "pg_dump --format=custom --file=" in refused.err) == (2, True)
    assert remit("runs", "prune", "--older", "1d", **env).code == 0
