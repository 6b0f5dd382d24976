"""The note in `run/supervisor.json` by which commands find the supervisor of a home."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_NAME = "supervisor.json"


@dataclass(frozen=True, slots=True)
class Record:
    """The supervisor that was started last; it may be dead."""

    pid: int
    control_socket: Path


def write_record(run_folder: Path, control_socket: Path) -> None:
    """Note this process; readers see the old note or the new one, never half of it."""
    fresh = run_folder / f"{_NAME}.new"
    fresh.write_text(json.dumps({"pid": os.getpid(), "control_socket": str(control_socket)}), encoding="utf-8")
    fresh.replace(run_folder / _NAME)


def read_record(run_folder: Path) -> Record | None:
    """The note, or None when there is none that can be read."""
    try:
        data = json.loads((run_folder / _NAME).read_text(encoding="utf-8"))
        return Record(pid=int(data["pid"]), control_socket=Path(data["control_socket"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remove_record(run_folder: Path) -> None:
    """Take the note away if it is this process's."""
    record = read_record(run_folder)
    if record is None or record.pid != os.getpid():
        return
    with suppress(OSError):
        (run_folder / _NAME).unlink(missing_ok=True)
