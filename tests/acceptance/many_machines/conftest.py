"""What many machines share: a broker on a port, a PostgreSQL, a folder of blobs; and each machine's own home."""

import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import make_url

from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.ports.clock import SystemClock
from workers.embedded.valkey import find_server

TOIL = Path(__file__).parent.parent / "crash" / "toil"


class WayIn:
    """A socket that leads to the database, until it is closed."""

    def __init__(self, database: str, folder: Path) -> None:
        self._database = make_url(database)
        url = self._database.set(host=None, port=None).update_query_dict({"host": str(folder)})
        self.url = url.render_as_string(hide_password=False)
        self._closed = threading.Event()
        self._links: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{folder}/.s.PGSQL.5432")
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Nobody comes through any more."""
        self._closed.set()
        for one in (self._listener, *self._links):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                outer, _ = self._listener.accept()
                inner = self._connected()
                self._links += [outer, inner]
                for source, sink in ((outer, inner), (inner, outer)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()
                if self._closed.is_set():
                    self.close()

    def _connected(self) -> socket.socket:
        port = self._database.port or 5432
        host = self._database.host or str(self._database.query["host"])
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        inner = socket.socket(socket.AF_UNIX)
        inner.connect(f"{host}/.s.PGSQL.{port}")
        return inner

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


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
        deadline = time.monotonic() + 60
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

    def written(self, run_id: str) -> Sequence[object]:
        """All that the turns of a run have written."""
        store = self.store()
        subtasks = store.subtasks(run_id)
        steps = [store.steps(one.id) for one in subtasks]
        intents = [store.intents(one.id, n) for one in subtasks for n in range(1, one.step + 1)]
        written = [subtasks, steps, intents, store.observations(run_id), store.audit(run_id)]
        store.close()
        return written

    def log_of(self, name: str) -> str:
        """What the worker of this name said."""
        return (self.folder / f"{name}.log").read_text()

    @contextmanager
    def way_to_database(self) -> Generator[WayIn]:
        """A way to the database that can be closed."""
        with tempfile.TemporaryDirectory(prefix="remit-way-", dir="/tmp") as folder:  # a socket's path is short
            way = WayIn(self.database, Path(folder))
            try:
                yield way
            finally:
                way.close()


@pytest.fixture
def shared(tmp_path: Path, pg_url: str) -> Generator[Shared]:
    """The services that all machines share."""
    made = Shared(tmp_path, pg_url)
    made.start()
    yield made
    made.kill()


@pytest.fixture
def start_worker(new_remit: Callable[[str], Any], shared: Shared) -> Generator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a worker as on a machine of its own, and waits until it has a lease."""
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, **env: str) -> subprocess.Popen[bytes]:
        machine = new_remit(name)
        with (shared.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "workers.entry", "worker"],
                env={**machine.env, **shared.env, **env},
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
