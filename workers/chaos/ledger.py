"""The outer system as the command sees it: started, asked for the truth, and read when all is over."""

import sqlite3
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import ServiceError
from workers.chaos.ledger_server import LEDGER_FILE

_ENDS_WITHIN = 10.0


@dataclass(frozen=True, slots=True)
class Deed:
    """What the outer system was asked to do with one number for one run, and how often it did it."""

    run: str
    tool: str
    number: int
    asked: int
    done: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger that is running, or was."""

    folder: Path
    url: str

    def happened(self, key: str) -> bool:
        """The truth about a call."""
        with self._reading() as database:
            return database.execute("SELECT 1 FROM arrivals WHERE key = ? AND done", (key,)).fetchone() is not None

    def deeds(self) -> Sequence[Deed]:
        """Everything that was ever asked for."""
        query = (
            "SELECT run, tool, number, count(*), sum(done) FROM arrivals GROUP BY run, tool, number ORDER BY 1, 2, 3"
        )
        with self._reading() as database:
            return [Deed(*row) for row in database.execute(query)]

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        file = self.folder.absolute() / LEDGER_FILE
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
            yield database


@contextmanager
def running_ledger(folder: Path) -> Generator[Ledger]:
    """The ledger as a child process for the block. Raises ServiceError."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "workers.chaos.ledger_server", str(folder)]
    # A group of its own: Ctrl-C is for the command, which then ends it.
    with subprocess.Popen(  # noqa: S603  # our own module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            port = process.stdout.readline().strip()
            if not port:
                raise ServiceError("the ledger did not start", where=str(folder))
            yield Ledger(folder, f"127.0.0.1:{port}")
        finally:
            process.stdin.close()
            try:
                process.wait(_ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
