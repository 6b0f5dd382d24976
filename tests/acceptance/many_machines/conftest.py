"""What many machines share: a broker on a port, a PostgreSQL, a folder of blobs; and each machine's own home."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import redis

from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.ports.clock import SystemClock
from workers.embedded.valkey import find_server

TOIL = Path(__file__).parent.parent / "crash" / "toil"


class Shared:
    """The shared services; the broker can be killed and started again on the same port."""

    def __init__(self, folder: Path, database: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.folder = folder
        self.database = database
        self.env = {
            "REMIT_BROKER_URL": f"redis://127.0.0.1:{self.port}/0",
            "REMIT_DATABASE_URL": database,
            "REMIT_BLOBS": str(folder / "blobs"),
            "REMIT_THREADS": "2",
            "PYTHONPATH": str(TOIL),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the broker and wait until it answers."""
        options = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", str(self.folder)]
        self._process = subprocess.Popen([find_server(None), *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while True:
            try:
                with redis.Redis(port=self.port, socket_timeout=5) as client:
                    client.ping()
            except redis.ConnectionError:
                assert time.monotonic() < deadline, "the broker did not start"
                time.sleep(0.01)
            else:
                return

    def kill(self) -> None:
        """Kill the broker."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def store(self) -> SqlStore:
        """The database, for looking into it."""
        return open_store(self.database, SystemClock())


@pytest.fixture
def shared(tmp_path: Path, pg_url: str) -> Generator[Shared]:
    """The services that all machines share."""
    made = Shared(tmp_path, pg_url)
    made.start()
    yield made
    made.kill()


@pytest.fixture
def start_worker(
    new_remit: Callable[[str], Any], shared: Shared
) -> Generator[Callable[[str], subprocess.Popen[bytes]]]:
    """Starts a worker as on a machine of its own, and waits until it has a lease."""
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str) -> subprocess.Popen[bytes]:
        machine = new_remit(name)
        with (shared.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "workers.entry", "worker"],
                env={**machine.env, **shared.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        started.append(process)
        store = shared.store()
        deadline = time.monotonic() + 60
        while not any(f":{process.pid}:" in lease.worker_id for lease in store.leases()):
            assert process.poll() is None, (shared.folder / f"{name}.log").read_text()
            assert time.monotonic() < deadline, "the worker did not start"
            time.sleep(0.02)
        store.close()
        return process

    yield start
    for process in started:
        process.send_signal(signal.SIGTERM)
    for process in started:
        assert process.wait(timeout=60) == 0, [path.read_text() for path in shared.folder.glob("*.log")]
