"""A cap on the command line holds over all workers, also when one is killed while it holds places."""

import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

TEAM = Path(__file__).parent.parent / "crash" / "toil" / "team.toml"
THINGS = 6


def command(log: Path, *more: str, **parameters: str) -> list[str]:
    """The command that has things measured, each of which notes its beginning and its end in `log`."""
    given = {"things": str(THINGS), "seconds": "0.05", "log": str(log), **parameters}
    options = [part for name, value in given.items() for part in ("--param", f"{name}={value}")]
    return ["run", "Measure everything.", "--team", str(TEAM), *options, *more]


def most_at_once(log: Path) -> int:
    """How many measurements were between their beginning and their end at the same time."""
    inside, most = set[str](), 0
    for line in log.read_text().splitlines():
        what, thing = line.split()
        inside = inside | {thing} if what == "begin" else inside - {thing}
        most = max(most, len(inside))
    return most


def test_two_workers_keep_to_a_runs_cap(
    new_remit: Callable[[str], Any], shared: Any, start_worker: Callable[..., Any], tmp_path: Path
) -> None:
    """Four threads on two machines, two subtasks at a time; and all that is left goes on to its end."""
    for name in ("first", "second"):
        start_worker(name)
    log = tmp_path / "toil.log"
    ended = new_remit("desk")(*command(log, "--parallel", "2", "--json"), **shared.env)
    assert ended.code == 0, ended.err
    assert ended.json["sizes"] == [n * n for n in range(1, THINGS + 1)]
    assert most_at_once(log) <= 2


@pytest.fixture
def doomed(new_remit: Callable[[str], Any], shared: Any) -> Generator[subprocess.Popen[bytes]]:
    """A worker that will be killed."""
    with (shared.folder / "doomed.log").open("wb") as log:
        command = [sys.executable, "-m", "workers.entry", "worker"]
        env = {**new_remit("doomed").env, **shared.env}
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    yield process
    process.kill()
    process.wait()


def test_a_killed_worker_holds_no_places(
    new_remit: Callable[[str], Any],
    shared: Any,
    doomed: subprocess.Popen[bytes],
    start_worker: Callable[..., Any],
    until: Callable[..., None],
    tmp_path: Path,
) -> None:
    """It dies with all the places that there are; once it is known to be dead the other worker has them."""
    log, gate = tmp_path / "toil.log", tmp_path / "gate"
    desk = new_remit("desk")
    process = desk.start(*command(log, "--parallel", "2", "--json", gate=str(gate)), **shared.env)
    until(lambda: log.exists() and len(log.read_text().splitlines()) == 2, process)
    doomed.kill()
    doomed.wait()
    store = shared.store()
    (lease,) = store.leases()
    assert len(store.running_of(lease.worker_id)) == 2
    store.expire(lease.worker_id)
    store.close()
    gate.touch()
    start_worker("second")
    ended = desk.ended(process)
    assert ended.code == 0, ended.err
    assert ended.json["sizes"] == [n * n for n in range(1, THINGS + 1)]
