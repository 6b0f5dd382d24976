"""What a caller asks of the embedded services: folders, commands, environment, counts."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orchestrator.errors import DefectError

WORKER_ID = "{worker_id}"
READY_FD = "{ready_fd}"
BROKER_URL = "{broker_url}"
_PATHS = frozenset({"PYTHONPATH", "REMIT_BLOBS", "REMIT_RATES"})
"""Variables whose values are paths that people write from the folder they are in."""


@dataclass(frozen=True, slots=True)
class Services:
    """The services one home needs.

    In `worker_argv`, `reap_argv` and the values of `env`, an element that equals a placeholder is replaced:
    `{worker_id}` by the id the supervisor chose, `{broker_url}` by the broker's address, and (worker only)
    `{ready_fd}` by the number of the pipe for `ready.tell_ready`.
    """

    home: Path
    worker_argv: tuple[str, ...]
    """Command of one worker; it needs `{worker_id}` and `{ready_fd}`."""
    reap_argv: tuple[str, ...]
    """Command that ends the lease of a worker that died without cleaning up; it needs `{worker_id}`."""
    env: Mapping[str, str]
    """The whole environment of the services, not an addition to it."""
    worker_count: int = 1
    runtime_dir: Path | None = None
    """The user's folder for sockets (`XDG_RUNTIME_DIR`), when the platform has one."""
    grace: float = 15.0
    """Seconds after which a worker that was told to stop is killed; by itself it takes ten, and a little to end."""
    watched: tuple[str, ...] = ()
    """Variables of `env` that a command needs to be the same in services that run already."""

    def __post_init__(self) -> None:
        """Refuse a command that could not be told its id."""
        for argv, wanted in ((self.worker_argv, (WORKER_ID, READY_FD)), (self.reap_argv, (WORKER_ID,))):
            absent = [name for name in wanted if name not in argv]
            if absent:
                raise DefectError(f"the command lacks {' and '.join(absent)}", where=" ".join(argv))
        if self.worker_count < 0:
            raise DefectError("a negative number of workers was asked for")

    @property
    def run_folder(self) -> Path:
        """Locks and records of what runs."""
        return self.home / "run"

    @property
    def log_folder(self) -> Path:
        """Logs of the supervisor and of what it starts."""
        return self.home / "logs"

    def anchored(self) -> "Services":
        """The same with absolute paths: the services work in another folder than the command."""
        env = {name: _absolute(value) if name in _PATHS and value else value for name, value in self.env.items()}
        return replace(self, home=self.home.absolute(), env=env)

    def watched_values(self) -> dict[str, str]:
        """The watched variables and their values; one that is not set has an empty value."""
        return {name: self.env.get(name, "") for name in self.watched}


def _absolute(paths: str) -> str:
    """Each of the paths, from the folder of this process on; an empty one is that folder."""
    parts = paths.split(os.pathsep)
    return os.pathsep.join(part if part.startswith("~") else str(Path(part).absolute()) for part in parts)


@dataclass(frozen=True, slots=True)
class Launch:
    """All a new supervisor is told: the services, the server's binary, and the folder of its sockets."""

    services: Services
    server: Path
    sockets: Path

    @property
    def control_socket(self) -> Path:
        """Where commands connect to the supervisor."""
        return self.sockets / "control.sock"

    @property
    def broker_socket(self) -> Path:
        """Where workers and commands connect to Valkey."""
        return self.sockets / "broker.sock"

    def to_json(self) -> str:
        """One line that `from_json` reads again."""
        spec = self.services
        return json.dumps(
            {
                "home": str(spec.home),
                "worker_argv": spec.worker_argv,
                "reap_argv": spec.reap_argv,
                "env": dict(spec.env),
                "worker_count": spec.worker_count,
                "runtime_dir": str(spec.runtime_dir) if spec.runtime_dir else None,
                "grace": spec.grace,
                "watched": spec.watched,
                "server": str(self.server),
                "sockets": str(self.sockets),
            }
        )

    @classmethod
    def from_json(cls, line: bytes | str) -> "Launch":
        """The launch that `to_json` wrote."""
        data: dict[str, Any] = json.loads(line)
        services = Services(
            home=Path(data["home"]),
            worker_argv=tuple(data["worker_argv"]),
            reap_argv=tuple(data["reap_argv"]),
            env=data["env"],
            worker_count=data["worker_count"],
            runtime_dir=Path(data["runtime_dir"]) if data["runtime_dir"] else None,
            grace=data["grace"],
            watched=tuple(data["watched"]),
        )
        return cls(services, server=Path(data["server"]), sockets=Path(data["sockets"]))


def fill(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The words with each one that *is* a placeholder replaced; braces inside a longer word are left alone."""
    return [values.get(word, word) for word in words]


def fill_env(env: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """The environment with each value that is a placeholder replaced."""
    return {name: values.get(value, value) for name, value in env.items()}
