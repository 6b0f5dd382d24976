"""Real services with a stand-in for the worker: a small script that can behave well or badly."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from workers.embedded.spec import Launch, Services

ROOT = Path(__file__).parents[3]

WORKER = """
import os, signal, subprocess, sys, time
from pathlib import Path
from workers.embedded.ready import tell_ready

worker_id, ready_fd, broker_url, manner, notes = sys.argv[1:]
notes = Path(notes)

def stop(number, frame):
    (notes / f"stopped-{worker_id}").touch()
    if manner == "slow":
        while not (notes / "go").exists():
            time.sleep(0.01)
    if manner != "stubborn":
        sys.exit(0)

signal.signal(signal.SIGTERM, stop)
(notes / f"started-{time.monotonic():.3f}-{worker_id}").write_text(broker_url)
if manner == "broken":
    sys.exit("no module named hope")
if manner == "parent":
    subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=False)
if manner != "mute":
    tell_ready(int(ready_fd))
while True:
    signal.pause()
"""

REAP = """
import sys
from pathlib import Path
(Path(sys.argv[2]) / f"reaped-{sys.argv[1]}").touch()
"""

COMMAND = """
import json, sys
from dataclasses import asdict
from workers.embedded.session import services
from workers.embedded.spec import Launch

spec = Launch.from_json(sys.stdin.readline()).services
with services(spec, limit=60) as session:
    print(json.dumps(asdict(session.status())), flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Folder in which the stand-ins leave word: `started-TIME-ID`, `stopped-ID`, `reaped-ID`."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def short_folder() -> Generator[Path]:
    """A private folder with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as name:
        yield Path(name)


@pytest.fixture
def running() -> Callable[[Path], list[int]]:
    """Every process of the services of a home: they alone have it in their environment, or its logs open."""

    def belongs(process: psutil.Process, home: Path) -> bool:
        if process.name().startswith("valkey"):
            # Valkey writes its title over its environment.
            return any(Path(file.path).is_relative_to(home) for file in process.open_files())
        return process.environ().get("TEST_HOME") == str(home)

    def find(home: Path) -> list[int]:
        found: list[int] = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.status() != psutil.STATUS_ZOMBIE and belongs(process, home):
                    found.append(process.pid)
        return found

    return find


@pytest.fixture
def until() -> Callable[..., None]:
    """Wait for a condition, 15 seconds at most."""

    def wait(condition: Callable[[], Any], seconds: float = 15.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true"
            time.sleep(0.01)

    return wait


@pytest.fixture
def lives() -> Callable[[int], bool]:
    """True while the process runs."""

    def look(pid: int) -> bool:
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    return look


@pytest.fixture
def make_spec(
    tmp_path: Path, notes: Path, running: Callable[[Path], list[int]], until: Callable[..., None]
) -> Generator[Callable[..., Services]]:
    """Services with stand-in workers of the given manner; when the test ends, none of their processes may be left."""
    homes: list[Path] = []

    def make(manner: str = "steady", home: Path | None = None, **changes: Any) -> Services:
        home = home or tmp_path / "home"
        homes.append(home)
        spec = Services(
            home=home,
            worker_argv=(
                *(sys.executable, "-S", "-c", WORKER),
                *("{worker_id}", "{ready_fd}", "{broker_url}", manner, str(notes)),
            ),
            reap_argv=(sys.executable, "-S", "-c", REAP, "{worker_id}", str(notes)),
            env={"PYTHONPATH": str(ROOT), "TEST_HOME": str(home), "PATH": os.defpath},
        )
        return replace(spec, **changes)

    yield make
    for home in homes:
        try:
            until(lambda home=home: not running(home))
        finally:
            for pid in running(home):
                os.kill(pid, 9)


@pytest.fixture
def command(tmp_path: Path) -> Generator[Callable[[Services], "subprocess.Popen[str]"]]:
    """A command in its own process: prints the state once it holds the services, leaves when its input ends."""
    started: list[subprocess.Popen[str]] = []

    def start(spec: Services) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND],
            env={"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdin is not None
        process.stdin.write(Launch(spec, tmp_path, tmp_path).to_json() + "\n")
        process.stdin.flush()
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
