"""The toil team as tests use it: its command line, and what its tools noted."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "toil"


@dataclass(frozen=True)
class Toil:
    """One goal for the toil team; `log` is where its tools note what they do."""

    log: Path

    def command(self, things: int, seconds: float = 0.0, **more: str) -> list[str]:
        """The command that hands the goal in."""
        parameters = {"things": str(things), "seconds": str(seconds), "log": str(self.log), **more}
        options = [part for name, value in parameters.items() for part in ("--param", f"{name}={value}")]
        return ["run", "Measure everything.", "--team", str(FOLDER / "team.toml"), *options]

    @property
    def lines(self) -> list[str]:
        """What was noted so far."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def has(self, count: int) -> Callable[[], bool]:
        """A condition: so many lines are noted."""
        return lambda: len(self.lines) >= count

    def once(self, things: int) -> bool:
        """True when each measurement began and ended exactly once."""
        wanted = [f"{what} {n}.{turn}" for n in range(1, things + 1) for turn in (1, 2) for what in ("begin", "end")]
        return Counter(self.lines) == Counter(wanted)


@pytest.fixture
def toil(tmp_path: Path) -> Toil:
    """A goal for the toil team."""
    return Toil(tmp_path / "toil.log")


@pytest.fixture
def toil_env() -> dict[str, str]:
    """The environment in which the team's tools are found; two turns at a time, so that the others queue."""
    return {"PYTHONPATH": str(FOLDER), "REMIT_THREADS": "2"}


@pytest.fixture
def outcome() -> Any:
    """What a result says, without what differs from run to run by its nature."""

    def of(result: dict[str, Any]) -> dict[str, Any]:
        bare = {name: value for name, value in result.items() if name != "run"}
        bare["tickets"] = [{**one, "id": "t"} for one in bare["tickets"]]
        return bare

    return of
