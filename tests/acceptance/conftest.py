"""The command as people use it: a real process in a home of its own."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis
from sqlalchemy import create_engine, make_url, text

from agents.catalog import shipped_teams
from orchestrator.adapters.otel.files import SpanRecord, read_spans
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.ports.clock import SystemClock
from workers.embedded.record import read_record

LIMIT = 300.0
ABOUT_EMBEDDED = "it is about the services that Remit brings itself"
AT_WORK = {"eval", "run", "tickets answer", "runs cancel", *(one.name for one in shipped_teams())}
"""The commands that have something worked on."""


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


class Servers:
    """What stands in for the services that Remit brings itself: a database, a broker, a folder of blobs, and a worker
    as on another machine, with the environment of whoever wants something done."""

    def __init__(self, database: str, broker: Any, folder: Path) -> None:
        """`broker`: a Valkey of their own."""
        self.database = database
        self.broker = broker
        self.blobs = folder / "blobs"
        self.home = folder / "home"
        """The worker's own."""
        self.env = {
            "REMIT_DATABASE_URL": database,
            "REMIT_BROKER_URL": str(broker.url),
            "REMIT_BLOBS": str(self.blobs),
        }
        self.log = folder / "worker.log"
        folder.mkdir()
        self._env: Mapping[str, str] = {}
        self._worker: subprocess.Popen[str] | None = None
        self._kept = False

    def work(self, env: Mapping[str, str]) -> None:
        """See to it that a worker with this environment is at work, unless one is kept for a block."""
        if not self._kept and (self.worker() is None or self._env != env):
            self.stop()
            self._start(env)

    @contextmanager
    def kept(self, env: Mapping[str, str]) -> Generator[subprocess.Popen[str]]:
        """A new worker for the block, whatever environment the commands in it have."""
        self.stop()
        self._start(env)
        assert self._worker is not None, self.log.read_text()
        self._kept = True
        try:
            yield self._worker
        finally:
            self._kept = False
            self.stop()

    def worker(self) -> psutil.Process | None:
        """The worker's process."""
        return None if self._worker is None or self._worker.poll() is not None else psutil.Process(self._worker.pid)

    def stop(self) -> None:
        """Have the worker end as at a deploy; a turn that does not end in time it gives up."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.send_signal(signal.SIGTERM)
            code = worker.wait(timeout=LIMIT)
            said = self.log.read_text()
            assert code == 0 or (code == 1 and "was not through in time" in said), said

    def processes(self) -> set[int]:
        """All of their processes."""
        worker = self.worker()
        own = [] if worker is None else [worker, *worker.children(recursive=True)]
        return {one.pid for one in own} | ({self.broker.pid} if self.broker.pid else set())

    def _start(self, env: Mapping[str, str]) -> None:
        """An environment that no worker can have is left for the command to complain of."""
        with self.log.open("a") as log:
            command = [sys.executable, "-m", "workers.entry", "worker"]
            self._worker = worker = subprocess.Popen(
                command,
                env={**env, "REMIT_HOME": str(self.home)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )
            self._env = env
        store = open_store(self.database, SystemClock())
        deadline = time.monotonic() + 60
        while not any(f":{worker.pid}:" in lease.worker_id for lease in store.leases()):
            assert time.monotonic() < deadline, f"the worker did not start: {self.log.read_text()}"
            if worker.poll() is not None:
                self._worker = None
                break
            time.sleep(0.02)
        store.close()


class Remit:
    """Runs `remit` commands in one home, with the services that it brings itself or with servers."""

    def __init__(self, home: Path, env: Mapping[str, str], new_servers: Callable[[], Servers] | None) -> None:
        self.home = home
        self.env = {**env, "REMIT_HOME": str(home), "COLUMNS": "160"}
        self._started: list[subprocess.Popen[str]] = []
        self._new_servers = new_servers
        self._servers: Servers | None = None

    def prepared(self, *arguments: str, **env: str) -> dict[str, str]:
        """The environment of a command, what works for it being there."""
        given = {**self.env, **env}
        if self._new_servers is None or {"REMIT_DATABASE_URL", "REMIT_BROKER_URL"} & set(env):
            return given
        given = {**self.servers.env, **given}
        if {arguments[0], " ".join(arguments[:2])} & AT_WORK:
            self.servers.work(given)
        return given

    @property
    def servers(self) -> Servers:
        """The servers of this home, made for whoever asks first."""
        assert self._new_servers is not None
        if self._servers is None:
            self._servers = self._new_servers()
        return self._servers

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """Start a command and leave it running."""
        process = subprocess.Popen(
            [sys.executable, "-m", "workers.entry", *arguments],
            env=self.prepared(*arguments, **env),
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
        if self._servers is not None:
            self._servers.stop()

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
        if self._new_servers is not None:
            with self.servers.kept({**self.servers.env, **self.env, **env}) as worker:
                yield worker
            return
        process = self.start("up", **env)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "running in" in line, f"{line}{process.stderr.read()}\n{self.logs()}"
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LIMIT)

    @property
    def broker_socket(self) -> Path:
        """Where the broker listens."""
        if self._new_servers is not None:
            return Path(self.servers.broker.socket)
        record = read_record(self.home / "run")
        assert record is not None, "no supervisor runs"
        return record.control_socket.with_name("broker.sock")

    @contextmanager
    def broker(self) -> Generator[redis.Redis]:
        """The broker, as an enemy would reach it."""
        with redis.Redis(unix_socket_path=str(self.broker_socket), socket_timeout=10) as client:
            yield client

    @property
    def database(self) -> str:
        """The URL of the database."""
        return f"sqlite:///{self.home / 'remit.db'}" if self._new_servers is None else self.servers.database

    @contextmanager
    def store(self) -> Generator[SqlStore]:
        """The database of this home, for looking into it."""
        store = open_store(self.database, SystemClock())
        try:
            yield store
        finally:
            store.close()

    def sql(self, statement: str, **values: Any) -> Sequence[Any]:
        """Run a statement in the database as somebody can who goes around Remit; the rows it returns."""
        url = make_url(self.database)
        engine = create_engine(url if url.drivername == "sqlite" else url.set(drivername="postgresql+psycopg"))
        with engine.begin() as connection:
            done = connection.execute(text(statement), values)
            rows = list(done) if done.returns_rows else []
        engine.dispose()
        return rows

    @property
    def blobs(self) -> Path:
        """The folder of the contents."""
        return self.home / "blobs" if self._new_servers is None else self.servers.blobs

    def trace_files(self) -> list[Path]:
        """What commands and workers wrote of their traces."""
        homes = [self.home] if self._servers is None else [self.home, self._servers.home]
        return [path for home in homes for path in (home / "traces").glob("*.jsonl")]

    def spans(self, trace_id: str) -> list[SpanRecord]:
        """All spans of a trace."""
        folders = sorted({path.parent for path in self.trace_files()})
        return [span for folder in folders for span in read_spans(folder, trace_id)]

    def logs(self) -> str:
        """What the services wrote."""
        paths = sorted((self.home / "logs").glob("*.log")) if (self.home / "logs").is_dir() else []
        paths += [self._servers.log] if self._servers is not None else []
        return "\n".join(f"== {path.name}\n{path.read_text('utf-8', 'replace')[-4000:]}" for path in paths)

    def processes(self) -> list[psutil.Process]:
        """Everything that runs for this home: supervisor, broker, workers; servers are none of Remit's."""
        others = {os.getpid()} | (set() if self._servers is None else self._servers.processes())
        homes = {str(self.home)} | (set() if self._servers is None else {str(self._servers.home)})
        sockets = hashlib.blake2b(os.fsencode(self.home.resolve()), digest_size=8).hexdigest()
        found: list[psutil.Process] = []
        for process in psutil.process_iter(["environ", "cmdline", "status"]):
            environ: Mapping[str, str] = process.info["environ"] or {}
            # Valkey writes its title over its environment and names its socket there.
            named = any(str(self.home) in part or sockets in part for part in process.info["cmdline"] or [])
            ours = named or environ.get("REMIT_HOME") in homes
            if ours and process.pid not in others and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process)
        return found

    def workers(self) -> list[psutil.Process]:
        """The worker processes of this home."""
        if self._new_servers is not None:
            worker = self.servers.worker()
            return [] if worker is None else [worker]
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
def on_servers(request: pytest.FixtureRequest) -> bool:
    """Whether the commands use servers in place of what Remit brings itself."""
    servers = bool(request.config.getoption("servers"))
    if servers and request.node.get_closest_marker("embedded"):
        pytest.skip(ABOUT_EMBEDDED)
    return servers


@pytest.fixture
def new_servers(
    request: pytest.FixtureRequest, on_servers: bool, tmp_path: Path
) -> Generator[Callable[[], Servers] | None]:
    """Makes servers for a home; None where Remit brings what it needs."""
    if not on_servers:
        yield None
        return
    postgres: Any = request.getfixturevalue("postgres")
    new_valkey: Any = request.getfixturevalue("new_valkey")
    urls: list[str] = []
    with ExitStack() as stack:

        def make() -> Servers:
            urls.append(postgres.borrow())
            broker = stack.enter_context(new_valkey())
            broker.start()
            return Servers(urls[-1], broker, tmp_path / f"servers-{len(urls)}")

        yield make
    for url in urls:
        postgres.give_back(url)


@pytest.fixture
def new_remit(tmp_path: Path, new_servers: Callable[[], Servers] | None) -> Generator[Callable[[str], Remit]]:
    """Makes the command in a home of this name; whatever is still running at the end of the test is a failure."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("REMIT_", "OPENAI_", "OTEL_"))}
    made: list[Remit] = []

    def make(name: str) -> Remit:
        made.append(Remit(tmp_path / name, env, new_servers))
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
