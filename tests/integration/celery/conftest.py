"""A Valkey that can be killed, stopped and filled, and real workers in processes of their own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.adapters.celery_broker.producer import CeleryBroker

CHILD = Path(__file__).with_name("child.py")


def wait_until(true: Callable[[], bool], seconds: float = 60.0, what: str = "it") -> float:
    """Wait for a condition; how long it took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, f"waited {seconds} s for {what}"
        time.sleep(0.005)
    return time.monotonic() - began


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
def valkey(own_valkey: Any) -> Any:
    """A server that answers; each test here breaks its own."""
    return own_valkey


@pytest.fixture
def absent(new_valkey: Callable[[], Any]) -> Iterator[Any]:
    """A server that was not started yet."""
    with new_valkey() as server:
        yield server


@pytest.fixture
def broker(valkey: Any) -> Iterator[CeleryBroker]:
    """The producer of the instance `one`."""
    producer = CeleryBroker(valkey.url, "one")
    yield producer
    producer.close()


@dataclass(frozen=True)
class Running:
    """A broker, a worker of four threads on it, and a producer."""

    valkey: Any
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
def running(tmp_path_factory: pytest.TempPathFactory, new_valkey: Callable[[], Any]) -> Iterator[Running]:
    """One worker for all tests of a module: what one test does to it, it must have survived in the next."""
    with new_valkey() as server:
        server.start()
        worker = Worker(server.url, tmp_path_factory.mktemp("worker") / "notes", "one", 4, 10.0)
        producer = CeleryBroker(server.url, "one")
        worker.await_note("ready")
        yield Running(server, worker, producer)
        producer.close()
        assert worker.end() == 0


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
