"""`remit chaos`, as a reader runs it: a short round holds, on SQLite and on PostgreSQL, and mistakes are one line."""

import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.embedded  # each round has services of its own

SMALL = ("--rounds", "1", "--runs", "1", "--orders", "1", "--workers", "2", "--faults", "12", "--patience", "150")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), [("sqlite", 319), ("postgres", 407)])
def test_a_short_round_holds(remit: Any, tmp_path: Path, request: pytest.FixtureRequest, kind: str, seed: int) -> None:
    """Faults were met in the database, at wake-ups, around calls and while a cancelled run was undone; every promise
    was kept, and nothing is left."""
    database = () if kind == "sqlite" else ("--database", request.getfixturevalue("pg_url"))
    ended = remit("chaos", *SMALL, *database, "--seed", str(seed), "--folder", str(tmp_path / "rounds"), "--json")
    assert ended.code == 0, f"{ended.out}\n{ended.err}"
    outcome = ended.json
    assert outcome["held"] is True
    assert outcome["rounds"][0]["broken"] == []
    assert outcome["rounds"][0]["cancelled"] == 1
    points = outcome["points"]
    reached = ("claim.before", "commit.end.after", "receive", "blob.read", "rate.after", "trace.after")
    assert all(points[name]["hits"] > 0 for name in (*reached, "send.done", "child.done", "command.after"))
    faults = {name: sum(point["faults"].values()) for name, point in points.items()}
    assert sum(faults.values()) >= 6  # so many wait at hits that every run makes
    assert sum(faults[name] for name in faults if name.startswith(("undo.", "back."))) >= 1
    assert outcome["kills"] > 0
    assert not (tmp_path / "rounds").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(remit: Any, tmp_path: Path, until: Any, number: signal.Signals) -> None:
    """Ctrl-C or SIGTERM in the middle: one line, the exit code of shells; nothing runs any more, no folder is left."""
    rounds = tmp_path / "rounds"
    command = remit.start("chaos", *SMALL, "--folder", str(rounds))
    until((rounds / "undisturbed" / "chaos" / "hits" / "claim.before").exists, command)
    os.killpg(command.pid, number)
    ended = remit.ended(command)
    assert (ended.code, ended.out, ended.err) == (130, "", "remit: interrupted\n")
    until(lambda: not _processes_of(rounds))
    assert not rounds.exists()


def _processes_of(folder: Path) -> list[int]:
    alive = [one for one in psutil.process_iter(["environ", "status"]) if one.info["status"] != psutil.STATUS_ZOMBIE]
    return [one.pid for one in alive if str(folder) in (one.info["environ"] or {}).get("REMIT_HOME", "")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--team", "none.toml"), "none.toml"),
        (("--team", "reconcile"), "--cancelled 0"),
        (("--database", "mysql://host/db"), "mysql"),
        (("--database", "sqlite:///some.db"), "--database: this takes a PostgreSQL database"),
        (("--folder", __file__), "cannot be made"),
    ],
)
def test_mistakes(remit: Any, arguments: tuple[str, str], said: str) -> None:
    """A team, a database or a folder that cannot be used ends the command with 2 and one line."""
    ended = remit("chaos", *SMALL, *arguments)
    assert ended.code == 2, f"{ended.out}\n{ended.err}"
    assert said in ended.err
    assert "Traceback" not in ended.err
