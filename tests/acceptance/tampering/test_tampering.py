"""One digit of a finding is changed on its way to the report: the reviewer stops it, and a person decides."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import agents.teams.reconcile

LEFT = [
    ["invoice", "date", "customer", "amount"],
    ["INV-1001", "2026-03-01", "Acme", "1234.56"],
    ["INV-1002", "2026-03-02", "Bolt", "871.40"],
]
RIGHT = [["date", "text", "amount"], ["2026-03-02", "INV-1001", "1234.56"]]
ENV = {"PYTHONPATH": str(Path(__file__).parent)}


@pytest.fixture
def tampered(tmp_path: Path) -> Path:
    """The reconcile team with another composer."""
    folder = tmp_path / "team"
    shutil.copytree(Path(agents.teams.reconcile.__file__).parent, folder)
    path = folder / "team.toml"
    text = path.read_text("utf-8")
    honest = 'playbook = "agents.teams.reconcile.playbook:compose"'
    assert honest in text
    path.write_text(
        text.replace(honest, 'playbook = "tampering:compose"\ntools = ["tampering:read"]'), encoding="utf-8"
    )
    return path


def test_a_changed_digit(
    remit: Any, tampered: Path, write_table: Callable[[str, Sequence[Sequence[str]]], Path], tmp_path: Path
) -> None:
    """Sent back twice, then a ticket that names line and figure; `stop` fails the run, `accept` notes the objection."""
    tables = [f"left={write_table('left.csv', LEFT)}", f"right={write_table('right.csv', RIGHT)}"]
    goal = ["run", "Reconcile left.csv with right.csv.", "--team", str(tampered), "-i", tables[0], "-i", tables[1]]
    with remit.up(**ENV):
        stopped, accepted = (remit(*goal, "--out", str(tmp_path / n), "--json", **ENV) for n in ("stop", "accept"))
        for ended in (stopped, accepted):
            assert ended.code == 3, remit("runs", "logs", ended.json["run"]).out
            assert ended.json["status"] == "waiting"
        asked = remit("tickets", "show", stopped.json["tickets"][0]["id"], "--json").json
        assert asked["question"].startswith("The answer was sent back 2 times and still meets objections.")
        (objection,) = [line for line in asked["tried"].splitlines() if line.startswith("- compose: ")]
        assert objection.startswith("- compose: Line 3: 876.40 XXX is not in E6.1; the evidence has 871.40.")
        logs = remit("runs", "logs", stopped.json["run"], "--json").out
        keys = [json.loads(line)["subtask"] for line in logs.splitlines()]
        assert [key for key in dict.fromkeys(keys) if key.startswith("compose")] == [
            "compose",
            "compose@2",
            "compose@3",
        ]

        ended = remit("tickets", "answer", asked["id"], "stop", "--json", **ENV)
        assert (ended.code, ended.json["status"]) == (1, "failed")
        ended = remit("tickets", "answer", accepted.json["tickets"][0]["id"], "accept", "--json", **ENV)
        assert (ended.code, ended.json["status"]) == (0, "done")
    report = (tmp_path / "accept" / "report.md").read_text("utf-8")
    assert report.startswith("# The month end")
    assert "## Objections a person let stand" in report
    assert objection.removeprefix("- compose: ") in report
