"""The command as people use it: a real process in a home of its own."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis

from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.ports.clock import SystemClock
from workers.embedded.record import read_record

LIMIT = 300.0


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The last line of standard output."""
        return json.loads(self.out.strip().splitlines()[-1])


class Remit:
    """Runs `remit` commands in one home."""

    def __init__(self, home: Path, env: Mapping[str, str]) -> None:
        self.home = home
        self.env = {**env, "REMIT_HOME": str(home), "COLUMNS": "160"}
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """Start a command and leave it running."""
        process = subprocess.Popen(
            [sys.executable, "-m", "workers.entry", *arguments],
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._started.append(process)
        return process

    def stop(self) -> None:
        """Kill the commands that a failed test left."""
        for process in self._started:
            if process.returncode is None:
                process.kill()
                process.communicate()

    def __call__(self, *arguments: str, **env: str) -> Ended:
        """Run a command to its end."""
        return self.ended(self.start(*arguments, **env))

    def ended(self, process: subprocess.Popen[str]) -> Ended:
        """Wait for a command that was started."""
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            pytest.fail(f"{process.args!r} did not end within {LIMIT:.0f} s:\n{out}\n{err}\n{self.logs()}")
        return Ended(process.returncode, out, err)

    @contextmanager
    def up(self, **env: str) -> Generator[subprocess.Popen[str]]:
        """Keep the services running for the block, so that its commands need not start them."""
        process = self.start("up", **env)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "running in" in line, f"{line}{process.stderr.read()}\n{self.logs()}"
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LIMIT)

    @contextmanager
    def broker(self) -> Generator[redis.Redis]:
        """The embedded broker, as an enemy would reach it."""
        record = read_record(self.home / "run")
        assert record is not None, "no supervisor runs"
        socket = record.control_socket.with_name("broker.sock")
        with redis.Redis(unix_socket_path=str(socket), socket_timeout=10) as client:
            yield client

    @contextmanager
    def store(self) -> Generator[SqlStore]:
        """The database of this home, for looking into it."""
        store = open_store(f"sqlite:///{self.home / 'remit.db'}", SystemClock())
        try:
            yield store
        finally:
            store.close()

    def logs(self) -> str:
        """What the services wrote."""
        paths = sorted((self.home / "logs").glob("*.log")) if (self.home / "logs").is_dir() else []
        return "\n".join(f"== {path.name}\n{path.read_text('utf-8', 'replace')[-4000:]}" for path in paths)

    def processes(self) -> list[psutil.Process]:
        """Everything that runs for this home: supervisor, broker, workers."""
        sockets = hashlib.blake2b(os.fsencode(self.home.resolve()), digest_size=8).hexdigest()
        found: list[psutil.Process] = []
        for process in psutil.process_iter(["environ", "cmdline", "status"]):
            environ: Mapping[str, str] = process.info["environ"] or {}
            # Valkey writes its title over its environment and names its socket there.
            named = any(str(self.home) in part or sockets in part for part in process.info["cmdline"] or [])
            ours = named or environ.get("REMIT_HOME") == str(self.home)
            if ours and process.pid != os.getpid() and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process)
        return found

    def workers(self) -> list[psutil.Process]:
        """The worker processes of this home."""
        return [one for one in self.processes() if "--ready-fd" in words(one)]

    def brokers(self) -> list[psutil.Process]:
        """The broker processes of this home."""
        return [one for one in self.processes() if any("valkey-server" in word for word in words(one))]

    def supervisors(self) -> list[psutil.Process]:
        """The supervisors of this home."""
        return [one for one in self.processes() if "workers.embedded.supervisor" in words(one)]


def words(process: psutil.Process) -> list[str]:
    """The command line of a process; empty when it has ended meanwhile."""
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


@pytest.fixture
def new_remit(tmp_path: Path) -> Generator[Callable[[str], Remit]]:
    """Makes the command in a home of this name; whatever is still running at the end of the test is a failure."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("REMIT_", "OPENAI_", "OTEL_"))}
    made: list[Remit] = []

    def make(name: str) -> Remit:
        made.append(Remit(tmp_path / name, env))
        return made[-1]

    yield make
    for one in made:
        one.stop()
    deadline = time.monotonic() + 30
    while any(one.processes() for one in made) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [process for one in made for process in one.processes()]
    for process in left:
        process.kill()
    assert left == [], f"still running: {[process.cmdline() for process in left]}"


@pytest.fixture
def remit(new_remit: Callable[[str], Remit]) -> Remit:
    """The command in a home of its own; whatever is still running at the end of the test is a failure."""
    return new_remit("home")


@pytest.fixture
def until() -> Callable[..., None]:
    """Wait until a condition holds, three minutes at most, and no longer than the process lives that is to bring it."""

    def wait(condition: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
        deadline = time.monotonic() + 180
        while not condition():
            assert process is None or process.poll() is None, f"it ended first: {process.communicate()}"
            assert time.monotonic() < deadline, "it did not happen within three minutes"
            time.sleep(0.02)

    return wait


@pytest.fixture
def write_table(tmp_path: Path) -> Callable[[str, Sequence[Sequence[str]]], Path]:
    """Writes a small CSV file."""

    def write(name: str, rows: Sequence[Sequence[str]]) -> Path:
        path = tmp_path / name
        path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write
