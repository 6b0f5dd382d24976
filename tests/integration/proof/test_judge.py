"""The judge of a round finds one of everything that no round may leave behind."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from orchestrator.adapters.otel.files import read_spans
from workers.chaos.ledger_server import LEDGER_FILE
from workers.proof.judge import Expected, broken_promises
from workers.proof.stage import Stage

NOTHING = Expected({}, {}, frozenset())
RUN_ROW = "(SELECT id FROM runs)"
PLAN_ROW = "(SELECT id FROM subtasks)"


def told(stage: Stage, run_id: str) -> list[str]:
    """What the judge says, the run's id left out."""
    return [line.replace(run_id, "R") for line in broken_promises(stage, [run_id], NOTHING, [run_id])]


def test_nothing_is_wrong(stage: Stage, cancelled: str) -> None:
    """A run that was called off and leaves nothing behind keeps every promise."""
    assert told(stage, cancelled) == []
    assert stage.opened.store.standing(f"team:{stage.scope.tenant}/t/{stage.opened.clock.now():%Y-%m}")[0].spent == 7


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE subtasks SET status = 'ready'", "run R: plan is still ready"),
        ("UPDATE subtasks SET status = 'waiting'", "run R: it has ended, but 1 of its subtasks have not"),
        ("UPDATE tickets SET status = 'open'", "run R: ticket tR is still open"),
        ("UPDATE effects SET status = 'intended'", "run R: nobody stored how chaos.post of plan, step 1, ended"),
        (
            "UPDATE steps SET document = json_set(document, '$.results', json('[]'))",
            "run R: step 1 of plan has calls without a result",
        ),
        ("DELETE FROM findings", "run R: plan is done without a finding"),
        ("UPDATE audit SET detail = 'x' WHERE n = 1", "run R: the audit chain breaks at entry 1"),
        ("DELETE FROM audit WHERE n = (SELECT max(n) FROM audit)", "run R: the end of its audit is missing"),
        ("UPDATE ledger SET reserved = 5 WHERE account LIKE 'team:%'", "5 tokens are still set aside in team:"),
        ("UPDATE ledger SET spent = 6 WHERE account LIKE 'team:%'", "7 tokens were used and 6 counted"),
        (
            f"INSERT INTO ledger SELECT id, 'tokens', NULL, 1, NULL, 0, 0, 'stop', 0, NULL FROM {RUN_ROW}",
            "the account of R was never closed",
        ),
        (
            f"INSERT INTO ledger SELECT id, 'steps', NULL, NULL, 1, 0, 0, NULL, 0, NULL FROM {PLAN_ROW}",
            "the account of R/plan was never closed",
        ),
        (f"INSERT INTO places SELECT id, '[]', 0, NULL FROM {PLAN_ROW}", "1 row of places are left"),
        (f"INSERT INTO capped_runs SELECT id, '{{}}' FROM {RUN_ROW}", "1 row of capped_runs are left"),
        ("UPDATE observations SET run_id = 'gone'", "observations: 1 row without runs, such as of gone"),
        ("UPDATE steps SET subtask_id = 'gone'", "steps: 1 row without subtasks, such as of gone"),
        ("UPDATE effects SET subtask_id = 'gone'", "effects: 1 row without subtasks, such as of gone"),
        ("UPDATE findings SET subtask_id = 'gone'", "findings: 1 row without subtasks, such as of gone"),
        ("UPDATE tickets SET subtask_id = 'gone'", "tickets: 1 row without subtasks, such as of gone"),
        ("UPDATE subtasks SET parent_id = 'gone'", "subtasks: 1 row without subtasks, such as of gone"),
        (
            f"INSERT INTO edges SELECT id, 'gone', '{{R}}', 'any', 0, NULL FROM {PLAN_ROW}",
            "edges: 1 row without subtasks, such as of gone",
        ),
    ],
)
def test_a_row_that_should_not_be_there_is_found(
    stage: Stage, cancelled: str, plant: Callable[[str], None], statement: str, said: str
) -> None:
    """One of each kind, in each table."""
    plant(statement.replace("{R}", cancelled))
    assert any(said in line for line in told(stage, cancelled)), told(stage, cancelled)


def test_contents_and_traces_that_are_gone_are_found(stage: Stage, cancelled: str) -> None:
    """A team's text that no file holds any more, and a run without its root span."""
    trace = stage.opened.store.run(stage.scope, cancelled).trace.split("-")[1]
    assert len(read_spans(stage.settings.home / "traces", trace)) >= 1
    shutil.rmtree(stage.settings.home / "traces")
    shutil.rmtree(stage.settings.blob_folder)
    lines = told(stage, cancelled)
    assert "run R: the root span of its trace was never written" in lines
    assert any("(of run R)" in line for line in lines)


def test_deeds_of_nobody_are_found(stage: Stage, cancelled: str) -> None:
    """The outer ledger knows a run that nobody handed in, and a deed that was not undone."""
    with closing(sqlite3.connect(stage.folder / LEDGER_FILE, isolation_level=None)) as books:
        insert = "INSERT INTO arrivals (key, run, tool, number, done) VALUES (?, ?, 'post', 1, 1)"
        books.executemany(insert, [("k1", "stranger"), (f"{cancelled}/plan#1.c1.0", cancelled)])
    lines = told(stage, cancelled)
    assert "the ledger knows a run that nobody handed in: stranger" in lines
    assert "run R: post 1 was done 1 time and undone 0 times" in lines
    assert any("it happened, though it is told that it did not" in line for line in lines)


def test_a_run_that_has_not_ended_is_told(stage: Stage, cancelled: str, plant: Callable[[str], None]) -> None:
    """With what it is doing; what the others left is not looked for before."""
    plant("UPDATE runs SET status = 'running', outcome = NULL")
    assert told(stage, cancelled) == ["run R: it is running: it goes on"]


def test_a_run_that_nobody_called_off_has_to_be_done(stage: Stage, cancelled: str) -> None:
    """Cancelled, failed, stopped at a limit: all of it is told."""
    lines: list[Any] = list(broken_promises(stage, [cancelled], NOTHING))
    assert lines == [f"run {cancelled}: it is cancelled: enough"]
