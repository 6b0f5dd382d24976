"""`remit runs`: what was asked for, how it goes and what came of it, for people and for programs; and cancelling."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil

from orchestrator.domain.identity import Scope

TEAM = Path(__file__).parent / "crash" / "toil" / "team.toml"
ENV = {"PYTHONPATH": str(TEAM.parent), "REMIT_THREADS": "2"}
TABLE = [["date", "ref", "amount"], ["2026-03-01", "A-1001", "5.00"], ["2026-03-02", "A-1002", "6.00"]]


def test_seeing_a_run(remit: Any, write_table: Callable[[str, Sequence[Sequence[str]]], Path], tmp_path: Path) -> None:
    """Quiet says nothing, otherwise each subtask is told; list, show, logs, result agree, by an id's beginning too."""
    left, right = write_table("left.csv", TABLE), write_table("right.csv", TABLE[:2])
    with remit.up():
        quiet = remit("reconcile", str(left), str(right), "--quiet", "--out", str(tmp_path / "out"))
        assert (quiet.code, quiet.out) == (0, ""), quiet.err
        assert [line for line in quiet.err.splitlines() if "playbook" not in line] == []
        told = remit("reconcile", str(left), str(left))
    assert told.code == 0
    for key in ("plan", "left", "right", "match", "settle", "compose", "review"):
        assert any(line.startswith("✓ done") and f" {key} " in line for line in told.err.splitlines()), told.err
    assert f"Run {remit('runs', 'list', '--json').json[0]['run']}" in told.out.splitlines()[-1]

    newest, first = remit("runs", "list", "--json").json
    assert set(newest) == {"run", "team", "status", "created", "goal"}
    assert (newest["team"], newest["status"], first["status"]) == ("reconcile", "done", "done")
    assert remit("runs", "list", "--limit", "1", "--json").json == [newest]
    assert all(one["run"] in remit("runs", "list").out for one in (newest, first))

    run = first["run"]
    result = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
    assert result["run"] == run
    assert remit("runs", "result", run[:5], "--json").json == result
    shown = remit("runs", "show", run).out
    assert first["goal"] in shown
    assert "8 of 8 subtasks ended" in shown
    lines = [json.loads(line) for line in remit("runs", "logs", run, "--json").out.splitlines()]
    assert {line["subtask"] for line in lines} == {
        "plan",
        "left",
        "right",
        "match",
        "decide",
        "settle",
        "compose",
        "review",
    }
    assert [line["calls"][0]["tool"] for line in lines if line["subtask"] == "left" and line["calls"]] == [
        "tables.profile"
    ]
    assert all(line["thought"] for line in lines if line["calls"])
    logs = remit("runs", "logs", run).out
    assert "reconcile.settle" in logs
    assert "It ties out" in logs


def test_cancelling(remit: Any, tmp_path: Path, until: Callable[..., None]) -> None:
    """A run is stopped within a step, whoever follows it ends with 1; what ended cannot be cancelled again."""
    log = tmp_path / "toil.log"
    parameters = ["--param", "things=40", "--param", "seconds=1.5", "--param", f"log={log}"]
    with remit.up(**ENV):
        follower = remit.start("run", "Measure.", "--team", str(TEAM), *parameters, "--json", **ENV)
        until(log.exists, follower)
        (run,) = remit("runs", "list", "--json").json
        assert run["status"] == "running"
        cancelled = remit("runs", "cancel", run["run"], "--reason", "no longer wanted")
        assert cancelled.code == 0
        assert cancelled.err.strip() == f"{run['run']} is cancelled."
        ended = remit.ended(follower)
        assert (ended.code, ended.json["status"]) == (1, "cancelled")
        with remit.store() as store:
            until(lambda: {str(one.status) for one in store.subtasks(run["run"])} <= {"done", "cancelled"})
            begun = log.read_text().count("begin")
            stored = store.run(Scope(tenant="local"), run["run"])
            assert stored.status == "cancelled"
    assert begun < 80
    assert log.read_text().count("begin") <= begun + 2
    _, trace_id, root_id, _ = stored.trace.split("-")
    (root,) = [span for span in remit.spans(trace_id) if span.span_id == root_id]
    assert (root.service, root.attributes["remit.status"]) == ("remit", "cancelled")
    assert "no longer wanted" in remit("runs", "show", run["run"]).out
    assert remit("runs", "result", run["run"], "--json").code == 1
    again = remit("runs", "cancel", run["run"])
    assert again.code == 2
    assert again.err.strip() == f"remit: {run['run']}: the run has already ended: cancelled"


def test_cancelling_ends_the_tool_in_hand(remit: Any, tmp_path: Path, until: Callable[..., None]) -> None:
    """One that runs in a process of its own and only reads: the process is gone, and its worker is free again."""
    log = tmp_path / "toil.log"
    parameters = ["--param", "things=1", "--param", "hold=yes", "--param", f"log={log}"]
    env = {**ENV, "REMIT_THREADS": "1"}

    def holding() -> list[int]:
        lines = log.read_text().splitlines() if log.exists() else []
        return [int(line.split()[1]) for line in lines if line.startswith("hold")]

    with remit.up(**env):
        follower = remit.start("run", "Measure.", "--team", str(TEAM), *parameters, "--json", **env)
        until(lambda: bool(holding()), follower)
        (worker,) = remit.workers()
        (run,) = remit("runs", "list", "--json").json
        assert remit("runs", "cancel", run["run"]).code == 0
        assert remit.ended(follower).json["status"] == "cancelled"
        until(lambda: not psutil.pid_exists(holding()[0]))
        other = remit("run", "Measure.", "--team", str(TEAM), *parameters[:2], "--param", f"log={log}", "--json", **env)
        assert (other.code, other.json["sizes"]) == (0, [1]), other.err
        assert remit.workers() == [worker]
    assert len(holding()) == 1
