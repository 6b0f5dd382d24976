"""Rows as records of the domain, and records as the values of a row."""

from typing import Any

from sqlalchemy import Row, select

from orchestrator.adapters.sql.documents import read, written
from orchestrator.adapters.sql.schema import audit, runs, subtasks, tickets
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import Actor
from orchestrator.domain.run import Outcome, Run, TeamRules
from orchestrator.domain.subtask import Edge, NewSubtask, Subtask, SubtaskSpec
from orchestrator.domain.ticket import Ticket
from orchestrator.ports.store import AuditEntry

AnyRow = Row[*tuple[Any, ...]]

SUBTASK = (
    subtasks.c.id,
    subtasks.c.run_id,
    subtasks.c.key,
    subtasks.c.version,
    subtasks.c.parent_id,
    subtasks.c.priority,
    subtasks.c.number,
    subtasks.c.status,
    subtasks.c.epoch,
    subtasks.c.owner,
    subtasks.c.step,
    subtasks.c.unmet,
    subtasks.c.deaths,
    subtasks.c.tries,
    subtasks.c.worked_seconds,
    subtasks.c.skip_because,
    subtasks.c.wake_at,
    subtasks.c.started_at,
    subtasks.c.finished_at,
    subtasks.c.trouble,
    subtasks.c.spec,
)
"""The columns that make a subtask; all but the last are named like its fields."""
_SUBTASK_FIELDS = tuple(column.name for column in SUBTASK[:-1])

SELECT_RUN = select(runs)
SELECT_SUBTASK = select(*SUBTASK)
SELECT_TICKET = select(tickets)
SELECT_AUDIT = select(audit)


def subtask_of(row: AnyRow) -> Subtask:
    """A subtask from a row of `SUBTASK`."""
    *plain, spec = row
    fields: dict[str, Any] = dict(zip(_SUBTASK_FIELDS, plain, strict=True))
    return Subtask(**fields, spec=read(SubtaskSpec, spec, where=fields["id"]))


def subtask_values(new: NewSubtask, number: int, unmet: int, skip_because: str | None) -> dict[str, Any]:
    """The row of a new subtask: blocked, until the end of the transaction shows whether it can start."""
    return {
        "id": new.id,
        "run_id": new.run_id,
        "number": number,
        "key": new.key,
        "version": new.version,
        "kind": new.spec.kind,
        "parent_id": new.parent_id,
        "priority": new.priority,
        "status": "blocked",
        "epoch": 0,
        "step": 0,
        "unmet": unmet,
        "deaths": 0,
        "tries": 0,
        "worked_seconds": 0.0,
        "skip_because": skip_because,
        "notify_count": 0,
        "spec": written(new.spec),
    }


def run_of(row: AnyRow) -> Run:
    """A run from its row."""
    return Run(
        id=row.id,
        tenant=row.tenant,
        goal=read(Goal, row.goal, where=row.id),
        rules=read(TeamRules, row.rules, where=row.id),
        team_blob=row.team_blob,
        status=row.status,
        revision=row.revision,
        version=row.version,
        replans=row.replans,
        reviews=row.reviews,
        trace=row.trace,
        created_at=row.created_at,
        finished_at=row.finished_at,
        outcome=None if row.outcome is None else read(Outcome, row.outcome, where=row.id),
    )


def run_values(run: Run) -> dict[str, Any]:
    """The row of a new run."""
    return {
        "id": run.id,
        "tenant": run.tenant,
        "status": run.status,
        "revision": run.revision,
        "version": run.version,
        "replans": run.replans,
        "reviews": run.reviews,
        "trace": run.trace,
        "team_blob": run.team_blob,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "goal": written(run.goal),
        "rules": written(run.rules),
        "outcome": None if run.outcome is None else written(run.outcome),
        "next_number": 1,
        "audit_n": 0,
        "audit_digest": "",
    }


def ticket_of(row: AnyRow) -> Ticket:
    """A ticket: what was asked stands in the document, what became of it in columns."""
    asked = read(Ticket, row.document, where=row.id)
    return asked.model_copy(
        update={
            "status": row.status,
            "answer": row.answer,
            "comment": row.comment,
            "answered_by": None if row.answered_by is None else read(Actor, row.answered_by, where=row.id),
            "answered_at": row.answered_at,
        }
    )


def ticket_values(ticket: Ticket) -> dict[str, Any]:
    """The row of a new ticket, without its tenant."""
    return {
        "id": ticket.id,
        "run_id": ticket.run_id,
        "subtask_id": ticket.subtask_id,
        "status": ticket.status,
        "opened_at": ticket.opened_at,
        "deadline": ticket.deadline,
        "answer": ticket.answer,
        "comment": ticket.comment,
        "answered_by": None if ticket.answered_by is None else written(ticket.answered_by),
        "answered_at": ticket.answered_at,
        "document": written(ticket),
    }


def edge_of(row: AnyRow) -> Edge:
    """An edge from its row."""
    return Edge(from_id=row.from_id, to_id=row.to_id, needs=row.needs)


def entry_of(row: AnyRow) -> AuditEntry:
    """A link of the audit chain from its row."""
    actor = read(Actor, row.actor, where=row.run_id)
    return AuditEntry(row.n, row.at, actor, row.action, row.detail, row.digest)
