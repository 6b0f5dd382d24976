"""Reads what runs that have not ended would go on from, with this version's records and in any schema it knows."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Column, Connection, select

from orchestrator.adapters.sql.care.paging import Read, rows_of
from orchestrator.adapters.sql.documents import read as read_document
from orchestrator.adapters.sql.schema import (
    effects,
    findings,
    observations,
    runs,
    status_is,
    steps,
    subtasks,
    tickets,
)
from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.finding import Finding
from orchestrator.domain.goal import Goal
from orchestrator.domain.observation import Observation
from orchestrator.domain.run import TeamRules
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import SubtaskSpec
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import StoreError
from orchestrator.ports.care import Unended

# All these columns are as old as the first schema: a database that is still to be migrated can be asked for them.
_DOCUMENTS: tuple[tuple[type[BaseModel], Column[Any], Column[Any]], ...] = (
    (SubtaskSpec, subtasks.c.id, subtasks.c.spec),
    (Step, steps.c.subtask_id, steps.c.document),
    (EffectIntent, effects.c.subtask_id, effects.c.document),
    (Observation, observations.c.subtask_id, observations.c.document),
    (Finding, findings.c.subtask_id, findings.c.document),
    (Ticket, tickets.c.subtask_id, tickets.c.document),
)


def unended(read: Read[Any]) -> Iterator[Unended]:
    """Each run with what of it cannot be read, one line a kind."""
    going = status_is(runs.c.status, "running")
    for row in rows_of(read, runs, going, runs.c.team_blob, runs.c.goal, runs.c.rules):
        faults = [*_fault(Goal, row.goal, "its goal"), *_fault(TeamRules, row.rules, "its team's rules")]
        for kind, place, column in _DOCUMENTS:
            faults += read(
                lambda connection, kind=kind, place=place, column=column, run=row.id: _unreadable(
                    connection, run, kind, place, column
                )
            )
        yield Unended(row.id, _team(row.rules), row.team_blob, tuple(faults))


def _unreadable(
    connection: Connection, run_id: str, kind: type[BaseModel], place: Column[Any], column: Column[Any]
) -> list[str]:
    """The first document of a kind that this version cannot read."""
    of_run = select(place, column).join_from(subtasks, column.table) if column.table is not subtasks else None
    statement = (select(place, column) if of_run is None else of_run).where(subtasks.c.run_id == run_id)
    if column.table is tickets:
        statement = select(place, column).where(tickets.c.run_id == run_id)
    for where, text in connection.execute(statement.order_by(place)):
        found = _fault(kind, text, f"of `{str(where).partition('/')[2]}`")
        if found:
            return found
    return []


def _fault(kind: type[BaseModel], text: str, whose: str) -> list[str]:
    try:
        read_document(kind, text, where=whose)
    except StoreError as error:
        return [f"{whose}: {error.what}"]
    return []


def _team(rules: str) -> str:
    """The team's name, if the rules can be read."""
    try:
        return read_document(TeamRules, rules, where="").team
    except StoreError:
        return "?"
