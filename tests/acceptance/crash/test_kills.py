"""Workers die at random moments, again and again; each run ends with the same result as undisturbed."""

import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.embedded  # a supervisor brings workers back

THINGS = 8
SQUARES = [n * n for n in range(1, THINGS + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_workers(
    remit: Any, toil: Any, toil_env: dict[str, str], outcome: Any, until: Callable[..., None], seed: int
) -> None:
    """SIGKILL to all workers, four times in one run: in the middle of a tool, between tools, while messages queue."""
    rng = random.Random(seed)
    with remit.up(**toil_env):
        calm = remit(*toil.command(THINGS), "--json", **toil_env)
        assert calm.code == 0, f"{calm.err}\n{remit.logs()}"
        toil.log.unlink()
        process = remit.start(*toil.command(THINGS, 0.1), "--json", **toil_env)
        killed = set[int]()
        moment = 0
        for _ in range(4):
            moment += rng.randint(1, 7)
            until(toil.has(moment), process)
            until(lambda: bool(remit.workers()), process)
            for worker in remit.workers():
                killed.add(worker.pid)
                worker.send_signal(signal.SIGKILL)
        ended = remit.ended(process)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert len(killed) == 4
    assert ended.json["sizes"] == SQUARES
    assert outcome(ended.json) == outcome(calm.json)


def test_a_subtask_that_kills_its_worker(
    remit: Any, toil: Any, toil_env: dict[str, str], until: Callable[..., None]
) -> None:
    """It is set aside after three deaths, the others go on; a person has it left out, and the answer says so."""
    with remit.up(**toil_env):
        waiting = remit(*toil.command(2, kill="yes"), "--json", **toil_env)
        assert waiting.code == 3, f"{waiting.err}\n{remit.logs()}"
        assert toil.lines.count("kill") == 3
        (ticket,) = waiting.json["tickets"]
        assert ticket["question"] == "3 workers died over «The kill». What shall be done?"
        (worker,) = remit.workers()
        until(worker.is_running)
        ended = remit("tickets", "answer", ticket["id"], "skip", "--json", **toil_env)
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
        assert (ended.json["status"], ended.json["sizes"]) == ("done", [1, 4])
        report = remit("runs", "result", ended.json["run"]).out
        assert remit.workers() == [worker]
    assert "set aside because its workers died" in " ".join(report.split())
