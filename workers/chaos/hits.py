"""The hits of a round, counted across processes in files: nobody holds a lock, as anybody may be killed or stopped."""

import json
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.chaos.plan import Plan
from workers.chaos.points import LETTERS, POINTS, Fault, Point

_LINE = 160
"""Each fault takes a line of this length, so that a reader can go on where it was."""
_FAULTS = "faults.jsonl"
_HITS = "hits"


@dataclass(frozen=True, slots=True)
class Met:
    """A fault that was met."""

    point: str
    hit: int
    fault: Fault
    pid: int
    at: float


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a point was hit, and which faults were met there."""

    hits: int
    faults: Mapping[Fault, int]


class Hits:
    """Counts in a folder that all processes of a round share."""

    def __init__(self, folder: Path) -> None:
        self._hits = folder / _HITS
        self._faults = folder / _FAULTS
        self._hits.mkdir(parents=True, exist_ok=True)

    def hit(self, point: Point, plan: Plan, pid: int) -> Fault | None:
        """Count a hit and draw what it meets; the fault is on record before it strikes."""
        path = self._hits / point.name
        number = _append(path, b".")
        met_in_family = self._faults.with_name(f"met-{point.family}")
        if _size(met_in_family) >= plan.share(point.family):
            return None
        fault = plan.fault(point, number)
        if fault is not None:
            _append(met_in_family, b"x")
            _overwrite(path, number, LETTERS[fault].encode())
            met = {"point": point.name, "hit": number, "fault": fault, "pid": pid, "at": round(time.time(), 3)}
            _append(self._faults, json.dumps(met).ljust(_LINE - 1).encode() + b"\n")
        return fault

    def met(self, after: int = 0) -> Sequence[Met]:
        """The faults that were met, in order, without the first `after`."""
        if not self._faults.exists():
            return ()
        with self._faults.open("rb") as file:
            file.seek(after * _LINE)
            content = file.read()
        lines = [content[at : at + _LINE] for at in range(0, len(content) - _LINE + 1, _LINE)]
        return [Met(**json.loads(line)) for line in lines]

    def tallies(self) -> Mapping[str, Tally]:
        """Every point with its hits and faults."""
        return {name: self._tally(name) for name in POINTS}

    def _tally(self, name: str) -> Tally:
        path = self._hits / name
        content = path.read_text("ascii") if path.exists() else ""
        letters = Counter(content)
        return Tally(len(content), {fault: letters[letter] for fault, letter in LETTERS.items() if letters[letter]})


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _append(path: Path, record: bytes) -> int:
    """Append a record of a fixed length; its number. The kernel gives each writer a place of its own."""
    file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    try:
        os.write(file, record)
        return os.lseek(file, 0, os.SEEK_CUR) // len(record) - 1
    finally:
        os.close(file)


def _overwrite(path: Path, at: int, letter: bytes) -> None:
    file = os.open(path, os.O_WRONLY)
    try:
        os.pwrite(file, letter, at)
    finally:
        os.close(file)
