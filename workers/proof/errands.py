"""Errands as the proof has them done: by a process that forks another for each, which may die on the way."""

import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import ServiceError
from workers.proof.errand import Errand

_ENDS_WITHIN = 10.0


class Errands:
    """Has one errand done at a time."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self._process = process
        self._log = log

    def done(self, errand: Errand) -> bool:
        """Whether it was done; otherwise nobody knows, as whoever did it was killed or could not reach something."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{errand.model_dump_json()}\n")
        self._process.stdin.flush()
        code = self._process.stdout.readline().strip()
        if not code:
            raise ServiceError("the process for commands ended", where=str(self._log))
        return code == "0"


@contextmanager
def running_errands(env: Mapping[str, str], logs: Path) -> Generator[Errands]:
    """The process for the block, which writes its log into a folder."""
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / "errands.log"
    command = [sys.executable, "-m", "workers.proof.errand"]
    with (
        log.open("ab") as errors,
        # A group of its own: Ctrl-C is for the command, which then ends it.
        subprocess.Popen(  # noqa: S603  # our own module
            command,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            process_group=0,
        ) as process,
    ):
        assert process.stdin is not None
        try:
            yield Errands(process, log)
        finally:
            process.stdin.close()
            try:
                process.wait(_ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
