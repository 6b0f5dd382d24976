"""A database that is there and does not answer: a worker ends by itself, and the next one goes on."""

import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

LEASE = "2"


@pytest.fixture
def pg_url(own_postgres: Any) -> str:
    """A database on a server that can be frozen; it is reached by a socket, where no timeout of TCP helps."""
    url: str = own_postgres.new_database()
    return url


@pytest.fixture
def begin_worker(new_remit: Callable[[str], Any], shared: Any) -> Generator[Callable[[str], subprocess.Popen[bytes]]]:
    """Starts a worker with a short lease; its log stands beside the blobs."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(name: str) -> subprocess.Popen[bytes]:
        env = {**new_remit(name).env, **shared.env, "REMIT_LEASE_SECONDS": LEASE}
        with log_of(shared, name).open("wb") as log:
            command = [sys.executable, "-m", "workers.entry", "worker"]
            started.append(subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


def log_of(shared: Any, name: str) -> Path:
    """What the worker said."""
    path: Path = shared.folder / f"{name}.log"
    return path


@pytest.mark.slow
@pytest.mark.parametrize("stopped_first", [False, True], ids=["at work", "told to stop"])
def test_a_worker_ends_when_its_database_hangs(
    shared: Any, own_postgres: Any, begin_worker: Callable[[str], Any], until: Callable[..., None], stopped_first: bool
) -> None:
    """Whether it was at work or about to end: by itself, with a line that says why, and nobody has to kill it."""
    worker = begin_worker("first")
    until(lambda: "takes work" in log_of(shared, "first").read_text(), worker)
    with own_postgres.frozen():
        if stopped_first:
            worker.terminate()
        code = worker.wait(timeout=60)
    said = log_of(shared, "first").read_text()
    assert code == 1, said
    assert "the database does not answer and the lease has passed; this worker ends at once" in said
    second = begin_worker("second")
    until(lambda: "takes work" in log_of(shared, "second").read_text(), second)
    second.terminate()
    assert second.wait(timeout=60) == 0
