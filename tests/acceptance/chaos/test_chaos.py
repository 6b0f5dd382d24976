"""`remit chaos`, as a reader runs it: a short round holds, on SQLite and on PostgreSQL, and mistakes are one line."""

from pathlib import Path
from typing import Any

import pytest

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
    assert all(points[name]["hits"] > 0 for name in ("claim.before", "commit.end.after", "send.done", "receive"))
    faults = {name: sum(point["faults"].values()) for name, point in points.items()}
    assert sum(faults.values()) >= 6  # so many wait at hits that every run makes
    assert sum(faults[name] for name in faults if name.startswith(("undo.", "back."))) >= 1
    assert outcome["kills"] > 0
    assert not (tmp_path / "rounds").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--team", "none.toml"), "none.toml"),
        (("--team", "reconcile"), "--cancelled 0"),
        (("--database", "mysql://host/db"), "mysql"),
        (("--folder", __file__), "cannot be made"),
    ],
)
def test_mistakes(remit: Any, arguments: tuple[str, str], said: str) -> None:
    """A team, a database or a folder that cannot be used ends the command with 2 and one line."""
    ended = remit("chaos", *SMALL, *arguments)
    assert ended.code == 2, f"{ended.out}\n{ended.err}"
    assert said in ended.err
    assert "Traceback" not in ended.err
