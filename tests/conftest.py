"""Fixtures for all tests: a real PostgreSQL, stores on it and on SQLite, and a real Valkey."""

import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import settings
from postgres_databases import Databases, fault_of_server
from postgres_server import FAST, PostgresServer
from valkey_server import ValkeyServer

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.ports.clock import SystemClock

# A busy machine is no failure, and the same code always meets the same examples; `search` looks for new ones.
settings.register_profile("remit", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("remit")

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
