"""The supervisor is killed, and with it broker and worker; whoever needs them next has them back, and runs go on."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from workers.embedded.record import read_record

pytestmark = pytest.mark.embedded

THINGS = 3
SQUARES = [n * n for n in range(1, THINGS + 1)]


def kill_supervisor(remit: Any) -> list[psutil.Process]:
    """Kill it; all services that ran with it."""
    record = read_record(remit.home / "run")
    assert record is not None
    services = [psutil.Process(record.pid), *remit.brokers(), *remit.workers()]
    assert len(services) == 3
    services[0].send_signal(signal.SIGKILL)
    return services


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Until this file exists no tool of the run returns."""
    return tmp_path / "gate"


def test_under_a_command_that_waits(
    remit: Any, toil: Any, toil_env: dict[str, str], gate: Path, until: Callable[..., None]
) -> None:
    """In the middle of a tool: all three die, the command in front brings three others, and gets its answer."""
    process = remit.start(*toil.command(THINGS, gate=str(gate)), "--json", **toil_env)
    until(toil.has(1), process)
    killed = kill_supervisor(remit)
    until(lambda: not any(one.is_running() for one in killed), process)
    gate.touch()
    ended = remit.ended(process)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert (ended.json["status"], ended.json["sizes"]) == ("done", SQUARES)
    assert remit.processes() == []


def test_together_with_the_command(
    remit: Any, toil: Any, toil_env: dict[str, str], gate: Path, until: Callable[..., None]
) -> None:
    """Nothing is left that runs; `remit up` is enough for the run to go on to its answer."""
    process = remit.start(*toil.command(THINGS, gate=str(gate)), "--json", **toil_env)
    until(toil.has(1), process)
    process.send_signal(signal.SIGSTOP)  # so that it cannot bring them back before it dies too
    kill_supervisor(remit)
    process.kill()
    process.communicate()
    until(lambda: remit.processes() == [])
    gate.touch()
    (run,) = remit("runs", "list", "--json").json
    assert run["status"] == "running"
    with remit.up(**toil_env), remit.store() as store:
        until(lambda: {one.status for one in store.subtasks(run["run"])} == {"done"})
    shown = remit("runs", "result", run["run"], "--json").json
    assert (shown["status"], shown["sizes"]) == ("done", SQUARES)
