"""Embedded services: shared by commands, private to their owner, gone with the last command however it ends."""

import os
import signal
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

TEAM = Path(__file__).parent / "crash" / "toil" / "team.toml"
ENV = {"PYTHONPATH": str(TEAM.parent), "REMIT_THREADS": "2"}

pytestmark = pytest.mark.embedded


def toil(log: Path, **more: str) -> list[str]:
    """A goal for the toil team."""
    given = {"things": "4", "seconds": "0.2", "log": str(log), **more}
    parameters = [part for name, value in given.items() for part in ("--param", f"{name}={value}")]
    return ["run", "Measure.", "--team", str(TEAM), *parameters, "--json"]


@pytest.fixture
def careless() -> Any:
    """The umask of somebody who does not think of others."""
    before = os.umask(0o000)
    yield
    os.umask(before)


def test_private_and_gone(
    remit: Any, careless: None, write_table: Callable[[str, Sequence[Sequence[str]]], Path], tmp_path: Path
) -> None:
    """When the command has ended nothing runs, and nobody but the owner can read a file of the home or a socket."""
    left = write_table("left.csv", [["date", "ref", "amount"], ["2026-03-01", "A-1001", "5.00"]])
    ended = remit("reconcile", str(left), str(left), "--out", str(tmp_path / "out"))
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert remit.processes() == []
    found = {path: stat.S_IMODE(path.lstat().st_mode) for path in (remit.home, *remit.home.rglob("*"))}
    assert {str(path): oct(mode) for path, mode in found.items() if mode & 0o077} == {}
    kept = {path.relative_to(remit.home).parts[0] for path in found if path != remit.home}
    assert {"remit.db", "blobs", "traces", "logs", "exports"} <= kept


def test_a_killed_command(remit: Any, tmp_path: Path, until: Callable[..., None]) -> None:
    """After kill -9 in the middle of a run nothing is left running; with the next command the run goes on."""
    log = tmp_path / "toil.log"
    command = remit.start(*toil(log, ask="yes"), **ENV)
    until(lambda: log.exists() and len(log.read_text().splitlines()) >= 3, command)
    command.send_signal(signal.SIGKILL)
    command.communicate()
    until(lambda: remit.processes() == [])
    (run,) = remit("runs", "list", "--json").json
    assert remit.processes() == []
    assert run["status"] in {"running", "waiting"}
    with remit.up(**ENV), remit.store() as store:
        until(lambda: {one.key: one.status for one in store.subtasks(run["run"])}.get("work") == "done")
    (ticket,) = remit("tickets", "list", "--json").json
    ended = remit("tickets", "answer", ticket["id"], "green", "--json", **ENV)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert (ended.json["run"], ended.json["sizes"], ended.json["words"]) == (run["run"], [1, 4, 9, 16], ["green"])


def test_two_commands_at_the_same_time(remit: Any, tmp_path: Path, until: Callable[..., None]) -> None:
    """They share one supervisor, broker and worker; the one that ends first leaves them to the other."""
    logs = [tmp_path / name for name in ("short.log", "long.log")]
    gate, threads = tmp_path / "gate", {**ENV, "REMIT_THREADS": "5"}
    short = remit.start(*toil(logs[0], things="2"), **threads)
    long = remit.start(*toil(logs[1], things="3", gate=str(gate)), **threads)
    until(lambda: all(log.exists() for log in logs), long)

    def services() -> list[list[int]]:
        return [[one.pid for one in found] for found in (remit.brokers(), remit.workers())]

    before, keepers = services(), remit.supervisors()
    assert [len(found) for found in before] == [1, 1]
    assert remit.ended(short).json["sizes"] == [1, 4]
    assert long.poll() is None
    assert services() == before
    # Of two commands that start at once one's supervisor finds the other's and leaves.
    assert set() < set(remit.supervisors()) <= set(keepers)
    gate.touch()
    ended = remit.ended(long)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert ended.json["sizes"] == [1, 4, 9]
    assert remit.processes() == []
