"""A round that has ended, as its judge finds it: a real home, database and outer ledger, and nobody at work."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from orchestrator.config import Settings
from orchestrator.domain.budget import Amounts
from orchestrator.domain.changes import CloseIntents, Fence, OpenTicket, Reserve, SaveIntents, SaveStep, Settle, Yield
from orchestrator.domain.effect import EffectIntent, EffectOutcome
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.observation import Observation
from orchestrator.domain.run import TeamRules
from orchestrator.domain.step import Step, StepCall, StepResult, StepUsage
from orchestrator.domain.subtask import Status
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.services.submitting import Request
from workers.chaos.ledger import Ledger
from workers.chaos.ledger_server import LEDGER_FILE, Books
from workers.proof.stage import MONTH, Stage
from workers.runtime import runtime

SCOPE, ACTOR = Scope(tenant="chaos1"), Actor(id="me")


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    """The stage, without services."""
    settings = Settings(home=tmp_path, broker_url=None, database_url=None, blobs=None, model=None, budget_month=MONTH)
    (tmp_path / "chaos").mkdir()
    Books(tmp_path / "chaos" / LEDGER_FILE)
    with runtime(settings, None, "test") as opened:
        yield Stage(
            folder=tmp_path / "chaos",
            settings=settings,
            session=cast("Any", None),
            opened=opened,
            errands=cast("Any", None),
            ledger=Ledger(tmp_path / "chaos", "nowhere"),
            scope=SCOPE,
            actor=ACTOR,
        )


@pytest.fixture
def cancelled(stage: Stage) -> str:
    """A run that was called off when its planner had ended: with a step, its observation, a call with an effect that
    did not happen, tokens that were used, and an answered ticket."""
    store = stage.opened.store
    request = Request("g", {}, TeamRules(team="t", specialists=("a",)), "{}", {}, Limits(tokens=10_000), 3)
    run = stage.opened.submitter.submit(request, stage.scope, stage.actor)
    plan = f"{run.id}/plan"
    store.register("w1", 3600)
    claimed = store.claim(plan, "w1")
    assert claimed is not None
    fence = Fence(plan, "w1", claimed.epoch, 1, run.goal.limits.tariff)
    at = datetime.now(UTC)
    call, key = StepCall(id="c1.0", tool="chaos.post"), f"{plan}#1.c1.0"
    intent = EffectIntent(
        subtask_id=plan,
        step=1,
        call_id=call.id,
        key=key,
        tool=call.tool,
        effect="unsafe",
        arguments={},
        epoch=1,
        deadline=at,
    )
    outcome = EffectOutcome(subtask_id=plan, step=1, call_id=call.id, status="failed")
    result = StepResult(call_id=call.id, ok=False, shown="no", ref="E1.1")
    usage = StepUsage(model="m", input_tokens=5, output_tokens=2, cost="0")
    step = Step(n=1, calls=(call,), results=(result,), usage=usage)
    seen = Observation(ref="E1.1", tool=call.tool, ok=False, summary="no", content="null", size=4)
    ticket = Ticket(id=f"t{run.id}", run_id=run.id, subtask_id=plan, question="?", step=1, opened_at=at)
    store.apply([Reserve(run.id, plan, Amounts(tokens=100)), SaveIntents((intent,))], fence)
    store.apply([SaveStep(plan, step, (seen,)), CloseIntents((outcome,)), OpenTicket(ticket), Yield(plan)], fence)
    stage.opened.answers.answer(stage.scope, ticket.id, "yes", "", stage.actor)
    again = store.claim(plan, "w1")
    assert again is not None
    ending = Settle(plan, Status.DONE, Finding(status="done", ending=Ending.ANSWER), holds=True)
    store.apply([ending], Fence(plan, "w1", again.epoch, 1, run.goal.limits.tariff))
    stage.opened.reader.cancel(stage.scope, run.id, "enough", stage.actor)
    stage.opened.telemetry.flush()
    return run.id


@pytest.fixture
def plant(stage: Stage) -> Callable[[str], None]:
    """Go around the store: what should never be in its database."""

    def planted(statement: str) -> None:
        with closing(sqlite3.connect(stage.settings.home / "remit.db", isolation_level=None)) as database:
            assert database.execute(statement).rowcount > 0

    return planted
