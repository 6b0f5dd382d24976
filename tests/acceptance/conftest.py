"""The command as people use it: a real process in a home of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

LIMIT = 120.0


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

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """Start a command and leave it running."""
        return subprocess.Popen(
            [sys.executable, "-m", "workers.entry", *arguments],
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __call__(self, *arguments: str, **env: str) -> Ended:
        """Run a command to its end."""
        process = self.start(*arguments, **env)
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            pytest.fail(f"remit {' '.join(arguments)} did not end within {LIMIT:.0f} s:\n{out}\n{err}\n{self.logs()}")
        return Ended(process.returncode, out, err)

    def logs(self) -> str:
        """What the services wrote."""
        paths = sorted((self.home / "logs").glob("*.log")) if (self.home / "logs").is_dir() else []
        return "\n".join(f"== {path.name}\n{path.read_text('utf-8', 'replace')[-4000:]}" for path in paths)

    def processes(self) -> list[psutil.Process]:
        """Everything that runs for this home: supervisor, broker, workers."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter(["environ", "cmdline"]):
            environ: Mapping[str, str] = process.info["environ"] or {}
            named = any(str(self.home) in part for part in process.info["cmdline"] or [])
            if process.pid != os.getpid() and (named or environ.get("REMIT_HOME") == str(self.home)):
                found.append(process)
        return found

    def workers(self) -> list[psutil.Process]:
        """The worker processes of this home."""
        return [one for one in self.processes() if "worker" in one.cmdline() and "--ready-fd" in one.cmdline()]


@pytest.fixture
def remit(tmp_path: Path) -> Generator[Remit]:
    """The command in a home of its own; whatever is still running at the end of the test is a failure."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("REMIT_", "OPENAI_", "OTEL_"))}
    command = Remit(tmp_path / "home", env)
    yield command
    deadline = time.monotonic() + 30
    while command.processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    left = command.processes()
    for process in left:
        process.kill()
    assert left == [], f"still running: {[process.cmdline() for process in left]}"


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait until a condition holds, a minute at most."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "it did not happen within a minute"
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
