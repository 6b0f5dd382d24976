"""The questions that are asked all the time are answered from an index, never by reading a whole table."""

import sqlite3
from collections.abc import Callable, Generator
from typing import Any

import pytest
from sqlalchemy import Engine, event

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.identity import Scope

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


SMALL = {"SCAN subtasks USING INDEX ix_subtasks_running", "SCAN subtasks USING INDEX ix_subtasks_ready"}
"""Indexes of what runs, or is ready, at this moment alone."""


def test_no_question_reads_a_whole_table(sqlite_store: SqlStore, sqlite_url: str, asked: Asked) -> None:
    """Of the sweeper, of a claim, of a turn, of the faces; running subtasks are all in their own small index."""
    scope = Scope(tenant="t")
    questions: list[Callable[[], object]] = [
        lambda: sqlite_store.to_notify(10),
        sqlite_store.unclaimed,
        lambda: sqlite_store.due(10),
        lambda: sqlite_store.overdue_tickets(10),
        lambda: sqlite_store.abandoned(10),
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
    for statement, parameters in selected:
        scans = [line for line in plan(sqlite_url, statement, parameters) if line.startswith("SCAN")]
        assert not set(scans) - SMALL, f"{statement}: {scans}"
