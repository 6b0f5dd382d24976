"""What comes from outside strikes who is there, and what strikes nobody is not counted."""

import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from typing import Any, cast

import pytest

from workers.chaos.hits import Hits
from workers.chaos.plan import Plan, write_plan
from workers.embedded.protocol import State
from workers.proof import warden
from workers.proof.stage import Stage


class Services:
    """Services of which only the supervisor is alive."""

    broker_url = "redis://127.0.0.1:9"

    def __init__(self, supervisor: int) -> None:
        self._supervisor = supervisor

    def status(self) -> State:
        """How they are."""
        return State(self.broker_url, None, broker_ready=False, broker_starts=1, supervisor_pid=self._supervisor)


@pytest.fixture
def supervisor() -> Generator[subprocess.Popen[bytes]]:
    """Somebody to be killed."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        yield process
        process.kill()


def test_nobody_is_struck_who_is_not_there(
    stage: Stage, supervisor: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While there is neither worker nor broker only the supervisor is killed, and only that stands in the table."""
    monkeypatch.setattr(warden, "OUTSIDE_EVERY", 0.0)
    plan = Plan(seed=1, round=1, most=1000, rate=10**6, stop_seconds=1)
    write_plan(plan, stage.folder)
    alone = replace(stage, session=cast("Any", Services(supervisor.pid)))
    warden.Warden(alone, plan).tick()
    assert supervisor.wait(60) < 0
    tallies = Hits(stage.folder).tallies()
    met = {name: dict(one.faults) for name, one in tallies.items() if name.startswith("outside.") and one.faults}
    assert met == {"outside.supervisor": {"kill": 1}, "outside.database": {"cut": 1}}
