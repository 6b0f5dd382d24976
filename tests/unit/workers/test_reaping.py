"""What a dead worker held goes on without waiting for anybody's next sweep, and reaping it takes little to load."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.config import Settings
from orchestrator.domain.changes import AddSubtasks, OpenRun
from orchestrator.domain.goal import Goal
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec
from orchestrator.ports.clock import SystemClock
from workers.reaping import main, reap
from workers.wiring import embedded_services

INSTANCE = "reaped"


@pytest.fixture
def held(store: SqlStore) -> SqlStore:
    """A store with two subtasks at work, each of a worker of its own, and a third one that nobody has."""
    rules = TeamRules(team="demo", specialists=("worker",))
    moment = SystemClock().now()
    run = Run(id="r1", tenant="t", goal=Goal(text="x"), rules=rules, team_blob="b", trace="t", created_at=moment)
    spec = SubtaskSpec(kind="specialist", agent="worker", title="A", instruction="A.")
    new = [NewSubtask(id=f"r1/{key}", run_id="r1", key=key, version=1, spec=spec) for key in "abc"]
    store.apply([OpenRun(run), AddSubtasks("r1", tuple(new))])
    for worker, subtask in (("dead", "r1/a"), ("alive", "r1/b")):
        store.register(worker, 3600)
        assert store.claim(subtask, worker) is not None
    return store


@pytest.fixture
def environ(store_url: str, valkey: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What a reaper is given by its supervisor."""
    with valkey.client() as client:
        client.delete(f"{INSTANCE}:turns")
    given = {
        "REMIT_HOME": str(tmp_path / "home"),
        "REMIT_BROKER_URL": valkey.url,
        "REMIT_DATABASE_URL": store_url,
        "REMIT_INSTANCE": INSTANCE,
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return given


@pytest.mark.usefixtures("environ")
def test_others_are_woken_for_what_it_held(held: SqlStore, valkey: Any) -> None:
    """Ready, with the death counted and the wake-up on its way; what the living hold stays theirs."""
    reap(Settings(), "dead")
    found = {one.key: (one.status.value, one.owner, one.deaths) for one in held.subtasks("r1")}
    assert found == {"a": ("ready", None, 1), "b": ("running", "alive", 0), "c": ("ready", None, 0)}
    assert [lease.worker_id for lease in held.leases()] == ["alive"]
    with valkey.client() as client:
        (message,) = client.lrange(f"{INSTANCE}:turns", 0, -1)
        assert client.delete(f"{INSTANCE}:turns") == 1
    assert b"remit.turn" in message
    assert main("dead") == 0
    assert held.subtasks("r1")[0].deaths == 1


def test_what_goes_wrong_is_one_line(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands in a log that the supervisor names."""
    assert environ
    monkeypatch.setenv("REMIT_DATABASE_URL", "sqlite:////nowhere/at/all.db")
    assert main("dead") == 1
    said = capsys.readouterr().err
    assert said.startswith("remit: /nowhere/at/all.db: the database cannot be created")
    assert said.count("\n") == 1


def test_no_broker_keeps_nobody_from_being_reaped(
    held: SqlStore, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sweeps next sends the wake-up."""
    assert environ
    monkeypatch.setenv("REMIT_BROKER_URL", "redis://127.0.0.1:1/0")
    reap(Settings(), "dead")
    assert [one.owner for one in held.subtasks("r1")] == [None, "alive", None]


def test_it_loads_neither_agents_nor_the_command() -> None:
    """A dead worker's subtasks wait for this process to start."""
    code = "import sys, workers.reaping; print({'agents', 'celery', 'typer', 'opentelemetry'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_the_supervisor_starts_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And not the whole command, which takes twice as long."""
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    assert embedded_services(Settings()).reap_argv[1:3] == ("-m", "workers.reaping")
