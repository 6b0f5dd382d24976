"""A store with runs that have rows in every table, contents in a folder, and whoever looks after both."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, make_url

from orchestrator.adapters.blobs import FolderBlobs
from orchestrator.adapters.otel.aged import TraceFolder
from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.care.sql_care import SqlCare, open_care
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.budget import Allowance, Amounts, Shared, Tariff, accounts
from orchestrator.domain.changes import (
    AddSubtasks,
    Change,
    EndRun,
    Fence,
    Note,
    OpenAccounts,
    OpenRun,
    OpenTicket,
    Release,
    Reserve,
    SaveIntents,
    SaveStep,
    Settle,
)
from orchestrator.domain.effect import EffectIntent, idempotency_key
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.goal import Goal, InputFile, Limits
from orchestrator.domain.identity import ENGINE
from orchestrator.domain.observation import Artifact, Observation
from orchestrator.domain.run import Outcome, Run, TeamRules
from orchestrator.domain.step import Step, StepCall, StepResult
from orchestrator.domain.subtask import Edge, NewSubtask, Status, SubtaskSpec
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.services.caring import Caretaker

TARIFF = Tariff(input=3, output=5)


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    """Contents in a folder."""
    return FolderBlobs(tmp_path / "blobs")


@pytest.fixture
def care(store: SqlStore, store_url: str, clock: ShiftedClock) -> Generator[SqlCare]:
    """Care of the store's database."""
    opened = open_care(store_url, clock)
    yield opened
    opened.close()


@pytest.fixture
def caretaker(care: SqlCare, blobs: FolderBlobs, clock: ShiftedClock, tmp_path: Path) -> Caretaker:
    """Care of both."""
    return Caretaker(care, blobs, TraceFolder(tmp_path / "traces"), clock)


@pytest.fixture
def engine(store_url: str) -> Generator[Engine]:
    """The database as somebody reaches it who goes around the store."""
    made = create_engine(make_url(store_url.replace("postgresql://", "postgresql+psycopg://")))
    yield made
    made.dispose()


@pytest.fixture
def open_run(store: SqlStore, blobs: FolderBlobs, clock: ShiftedClock) -> Callable[..., None]:
    """Store a run with rows in every table; one of its subtasks is at work, the other waits for it."""

    def make(run_id: str, trace: str = "00-1-2-01", **contents: bytes) -> None:
        """`team`, `input`, `large`, `file`: the contents it refers to; by default its own."""
        own = {name: blobs.put(contents.get(name, f"{run_id} {name}".encode())) for name in _CONTENTS}
        store.register(f"w-{run_id}", 3600)
        store.apply([*_opened(run_id, trace, own, clock), Note(run_id, ENGINE, "submit")])
        claimed = store.claim(f"{run_id}/a", f"w-{run_id}")
        assert claimed is not None
        fence = Fence(f"{run_id}/a", f"w-{run_id}", claimed.epoch, 1, TARIFF)
        store.apply([Reserve(run_id, f"{run_id}/a", Amounts(money=10, steps=1, tokens=10, time=10))], fence)
        store.apply(_worked(run_id, own, clock), fence)

    return make


@pytest.fixture
def end_run(store: SqlStore, clock: ShiftedClock) -> Callable[[str], None]:
    """End a run that `open_run` made."""

    def end(run_id: str) -> None:
        claimed = store.subtask(f"{run_id}/a")
        assert claimed is not None
        fence = Fence(claimed.id, f"w-{run_id}", claimed.epoch, 2, TARIFF)
        finding = Finding(status="done", ending=Ending.ANSWER, text="done")
        edge = Edge(from_id=f"{run_id}/a", to_id=f"{run_id}/b")
        store.apply([Settle(claimed.id, Status.DONE, finding), Release(edge, satisfied=True)], fence)
        store.apply([EndRun(run_id, Outcome(status="done", reason="done")), Note(run_id, ENGINE, "ended")])

    return end


_CONTENTS = ("team", "input", "large", "file")


def _opened(run_id: str, trace: str, own: dict[str, str], clock: ShiftedClock) -> list[Change]:
    limits = Limits(steps=100, tokens=100_000, tariff=TARIFF)
    goal = Goal(
        text="对账", inputs=(InputFile(name="left", filename="l.csv", blob=own["input"], size=3),), limits=limits
    )
    rules = TeamRules(team="demo", specialists=("worker",))
    fields: dict[str, Any] = {"team_blob": own["team"], "trace": trace, "created_at": clock.now()}
    run = Run(id=run_id, tenant="acme", goal=goal, rules=rules, **fields)
    spec = SubtaskSpec(kind="specialist", agent="worker", title="x", instruction="Do it.")
    new = tuple(NewSubtask(id=f"{run_id}/{key}", run_id=run_id, key=key, version=1, spec=spec) for key in "ab")
    edges = (Edge(from_id=f"{run_id}/a", to_id=f"{run_id}/b"),)
    return [OpenRun(run), *_accounts(run, limits), AddSubtasks(run_id, new, edges)]


def _accounts(run: Run, limits: Limits) -> list[Change]:
    month = Allowance(tokens=1_000_000)
    shared = Shared(tenant="acme", team="demo", month="2026-03", of_team=month, of_tenant=month)
    return [OpenAccounts(accounts(run.id, limits, shared), "stop")]


def _worked(run_id: str, own: dict[str, str], clock: ShiftedClock) -> list[Change]:
    subtask_id = f"{run_id}/a"
    call = StepCall(id="c1", tool="look", arguments={"x": 1})
    result = StepResult(call_id="c1", ok=True, shown="seen", ref="E1.1")
    large = Observation(
        ref="E1.1",
        tool="look",
        ok=True,
        summary="s",
        content=None,
        blob=own["large"],
        size=9,
        artifacts=(Artifact(name="t.md", blob=own["file"], size=3),),
    )
    intent = EffectIntent(
        subtask_id=subtask_id,
        step=1,
        call_id="c1",
        key=idempotency_key(subtask_id, 1, "c1"),
        tool="look",
        effect="keyed",
        arguments={},
        epoch=1,
        deadline=clock.now(),
    )
    ticket = Ticket(
        id=f"t{run_id}",
        run_id=run_id,
        subtask_id=subtask_id,
        question="?",
        step=1,
        call_id="c1",
        opened_at=clock.now(),
    )
    step = Step(n=1, calls=(call,), results=(result,), seconds=1.0)
    return [SaveStep(subtask_id, step, (large,)), SaveIntents((intent,)), OpenTicket(ticket)]
