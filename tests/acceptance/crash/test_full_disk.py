"""The disk of a worker is full in the middle of a run, and has room again: refused meanwhile, then done."""

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

THINGS = 2
SQUARES = [n * n for n in range(1, THINGS + 1)]
ROOM = 1024
"""Bytes that a file of the worker may have: enough for the notes of its tools, too few for a page of the database."""


@pytest.mark.embedded  # the database is a file of the worker's
def test_a_full_disk_and_room_again(
    remit: Any, toil: Any, toil_env: dict[str, str], tmp_path: Path, until: Callable[..., None]
) -> None:
    """What the tools returned cannot be stored; the worker says so and tries again, and the run ends as if nothing
    had been."""
    gate = tmp_path / "gate"
    env = {**toil_env, "REMIT_LEASE_SECONDS": "600"}
    with remit.up(**env):
        process = remit.start(*toil.command(THINGS, gate=str(gate)), "--json", **env)
        until(toil.has(THINGS), process)
        (worker,) = remit.workers()
        before = worker.rlimit(resource.RLIMIT_FSIZE)
        worker.rlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
        gate.touch()
        until(lambda: "a step is stored in a moment" in remit.logs(), process)
        (run,) = remit("runs", "list", "--json").json
        assert run["status"] == "running"
        with remit.store() as store:
            assert [len(store.steps(one.id)) for one in store.subtasks(run["run"]) if one.parent_id] == [0] * THINGS
        worker.rlimit(resource.RLIMIT_FSIZE, before)
        ended = remit.ended(process)
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
        assert (ended.json["status"], ended.json["sizes"]) == ("done", SQUARES)
        assert remit("db", "check").code == 0
