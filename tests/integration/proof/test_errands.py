"""Whoever hands a goal in, answers or cancels may die at whatever he writes: it is there once or not at all."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.desk import ChosenTeam
from orchestrator.domain.changes import Fence, OpenTicket, Wait
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import new_id
from orchestrator.domain.run import TeamRules
from orchestrator.domain.subtask import Status
from orchestrator.domain.ticket import Ticket
from workers.chaos.hits import Hits
from workers.chaos.plan import Plan, write_plan
from workers.proof.asked import Asked
from workers.proof.errand import Errand
from workers.proof.errands import running_errands
from workers.proof.handing_in import submitted
from workers.proof.leavings import leavings
from workers.proof.stage import MONTH, Stage
from workers.proof.waker import waking

SEEDS = 16
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def on(stage: Stage, valkey: Any) -> Generator[Stage]:
    """The stage with a process for commands."""
    env = {
        "REMIT_HOME": str(stage.settings.home),
        "REMIT_DATABASE_URL": stage.settings.database,
        "REMIT_BROKER_URL": valkey.url,
        "REMIT_BUDGET_MONTH": MONTH,
        "REMIT_CHAOS": str(stage.folder),
    }
    write_plan(Plan(seed=0, round=1, most=0, stop_seconds=1), stage.folder)
    with running_errands(env, stage.settings.home / "logs") as errands:
        yield replace(stage, errands=errands)


@contextmanager
def broken(folder: Path, seed: int) -> Generator[None]:
    """Commands of the block meet one fault, at one of the things that they write."""
    for found in (folder / "faults.jsonl", *folder.glob("met-*"), *(folder / "hits").glob("*")):
        found.unlink(missing_ok=True)
    write_plan(Plan(seed=seed, round=1, most=1, rate=2.0, stop_seconds=0.1), folder)
    with waking(folder, 0.1):
        yield


def asked(folder: Path) -> Asked:
    """What a proof is asked for; nothing of it matters here."""
    numbers = dict.fromkeys(("rounds", "first_round", "seed", "runs", "cancelled", "orders", "faults", "workers"), 1)
    return Asked(team="t", patience=60, database=None, folder=folder, **numbers)


def asks(on: Stage, run_id: str) -> str:
    """Have the run's planner wait for a person; the ticket."""
    store, worker, plan = on.opened.store, new_id("w"), f"{run_id}/plan"
    store.register(worker, 3600)
    claimed = store.claim(plan, worker)
    assert claimed is not None
    ticket = Ticket(
        id=new_id("t"), run_id=run_id, subtask_id=plan, question="?", answer_type="text", step=1, opened_at=START
    )
    store.apply([OpenTicket(ticket), Wait(plan)], Fence(plan, worker, claimed.epoch, 0))
    return ticket.id


def test_whatever_a_command_meets(on: Stage) -> None:
    """Killed, stopped, told to end, or without an answer, before and after it writes: the goal is there once, with its
    planner ready; a ticket is answered once, a run called off once; and nothing else is left."""
    team, store = ChosenTeam(TeamRules(team="t", specialists=("a",)), "{}", ()), on.opened.store
    met: Counter[str] = Counter()
    runs: set[str] = set()
    for seed in range(SEEDS):
        with broken(on.folder, seed):
            run_id = submitted(on, team, asked(on.folder), Limits(tokens=100), 2)
            runs.add(run_id)
            assert {run.id for run in store.runs(on.scope, 1000)} == runs
            assert [one.status for one in store.subtasks(run_id)] == [Status.READY]
            assert len(store.standing(run_id)) == 1
            answer = Errand(what="answer", scope=on.scope, actor=on.actor, about=asks(on, run_id), said="yes")
            assert any(on.errands.done(answer) for _ in range(10))
            assert [one.answer for one in store.tickets(on.scope, run_id=run_id)] == ["yes"]
            assert [one.status for one in store.subtasks(run_id)] == [Status.READY]
            cancel = Errand(what="cancel", scope=on.scope, actor=on.actor, about=run_id, said="enough")
            assert any(on.errands.done(cancel) for _ in range(10))
            met.update(one.fault for one in Hits(on.folder).met())
        assert store.run(on.scope, run_id).status == "cancelled"
        actions = [one.action for one in store.audit(run_id)]
        assert (actions.count("answered"), actions.count("cancelled")) == (1, 1)
    assert met.total() >= SEEDS / 2
    assert met["kill"] >= 4
    assert leavings(on) == []
