"""The questions that are asked all the time are answered from an index, never by reading a whole table."""

import sqlite3
from collections.abc import Callable, Generator, Set
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Engine, event

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.caps import TeamCaps, caps_of
from orchestrator.domain.changes import AddSubtasks, CapRun, Fence, OpenRun, Yield
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import Scope
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec

Asked = list[tuple[str, Any]]


@pytest.fixture
def asked() -> Generator[Asked]:
    """Every statement that is executed from now on, with its parameters."""
    seen: Asked = []

    def note(*args: Any) -> None:
        seen.append((args[2], args[3]))

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


def plan(url: str, statement: str, parameters: Any) -> list[str]:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    try:
        return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    finally:
        connection.close()


SMALL = {
    "SCAN subtasks USING INDEX ix_subtasks_running",
    "SCAN subtasks USING COVERING INDEX ix_subtasks_running",
    "SCAN subtasks USING INDEX ix_subtasks_ready",
    "SCAN CONSTANT ROW",
}
"""Indexes of what runs, or is ready, at this moment alone; and no table at all."""
LONG_LINE = "SCAN subtasks USING INDEX ix_subtasks_ready"
"""Who stands in line before a cap is ready too: there may be thousands."""


def test_no_question_reads_a_whole_table(sqlite_store: SqlStore, sqlite_url: str, asked: Asked) -> None:
    """Of the sweeper, of a claim, of a turn, of the faces; running subtasks are all in their own small index."""
    scope = Scope(tenant="t")
    questions: list[Callable[[], object]] = [
        lambda: sqlite_store.to_notify(10),
        lambda: sqlite_store.to_notify(10, "batch"),
        lambda: sqlite_store.next_in_line(10),
        sqlite_store.unclaimed,
        lambda: sqlite_store.due(10),
        lambda: sqlite_store.overdue_tickets(10),
        lambda: sqlite_store.untraced(0.0, 10),
        lambda: sqlite_store.traced(["r", "s"]),
        lambda: sqlite_store.abandoned(10),
        lambda: sqlite_store.at_rest("w"),
        lambda: sqlite_store.claim("r/a", "w"),
        lambda: sqlite_store.notified(["r/a", "r/b"]),
        lambda: sqlite_store.renew("w", 1),
        lambda: sqlite_store.subtask("r/a"),
        lambda: sqlite_store.subtasks("r"),
        lambda: sqlite_store.children("r/a", 0, 10),
        lambda: sqlite_store.statuses("r"),
        lambda: sqlite_store.edges_from("r/a"),
        lambda: sqlite_store.edges_into("r/a"),
        lambda: sqlite_store.edges("r"),
        lambda: sqlite_store.steps("r/a"),
        lambda: sqlite_store.findings(["r/a"]),
        lambda: sqlite_store.observations("r", ["E1.1"]),
        lambda: sqlite_store.observations("r"),
        lambda: sqlite_store.next_observation("r/a"),
        lambda: sqlite_store.tickets(scope),
        lambda: sqlite_store.tickets(None, subtask_id="r/a"),
        lambda: sqlite_store.runs(scope, 10),
        lambda: sqlite_store.usage("r"),
        lambda: sqlite_store.worked("r"),
        lambda: sqlite_store.audit("r"),
    ]
    for ask in questions:
        ask()
    selected = [one for one in asked if one[0].startswith(("SELECT", "UPDATE"))]
    assert len(selected) >= len(questions)
    no_scans(sqlite_url, selected, SMALL)


def test_a_claim_before_a_cap_reads_no_whole_table(sqlite_store: SqlStore, sqlite_url: str, asked: Asked) -> None:
    """Neither does whoever gives a place back, nor the sweeper that looks who may come in."""
    run = Run(
        id="r",
        tenant="t",
        goal=Goal(text="g"),
        rules=TeamRules(team="demo", specialists=("a",)),
        team_blob="",
        trace="",
        created_at=datetime.now(UTC),
    )
    spec = SubtaskSpec(kind="specialist", agent="a", title="t", instruction="i")
    subtasks = tuple(NewSubtask(id=f"r/{key}", run_id="r", key=key, version=1, spec=spec) for key in "xyz")
    caps = CapRun("r", caps_of("r", "t", "demo", TeamCaps(), 1))
    sqlite_store.apply([OpenRun(run), caps, AddSubtasks("r", subtasks)])
    sqlite_store.register("w", 3600)
    claims = [sqlite_store.claim(one.id, "w") for one in subtasks]
    assert [one is not None for one in claims] == [True, False, False]
    sqlite_store.next_in_line(10)
    assert sqlite_store.apply([Yield("r/x")], Fence("r/x", "w", 1, 0)).ready == ("r/x", "r/y")
    sqlite_store.next_in_line(10)
    asked = [one for one in asked if one[0].startswith(("SELECT", "UPDATE", "DELETE"))]
    no_scans(sqlite_url, asked, SMALL - {LONG_LINE})


def no_scans(url: str, statements: Asked, allowed: Set[str]) -> None:
    """No statement reads a table from its first to its last row."""
    for statement, parameters in statements:
        scans = [line for line in plan(url, statement, parameters) if line.startswith("SCAN")]
        assert not set(scans) - allowed, f"{statement}: {scans}"
