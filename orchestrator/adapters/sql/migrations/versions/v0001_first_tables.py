"""The first schema."""

from typing import Any

from alembic.operations import Operations
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    text,
)

from orchestrator.adapters.sql.kinds import Id, UtcTime, Words

revision = "0001"
down_revision = None


def where(condition: str) -> dict[str, Any]:
    """A partial index, on both databases."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


def upgrade(op: Operations) -> None:
    """Make all tables."""
    _runs(op)
    _workers(op)
    _audit(op)
    _subtasks(op)
    _edges(op)
    _steps(op)
    _effects(op)
    _observations(op)
    _findings(op)
    _tickets(op)


def _runs(op: Operations) -> None:
    op.create_table(
        "runs",
        Column("id", Id(), nullable=False),
        Column("tenant", Id(), nullable=False),
        Column("status", Text(), nullable=False),
        Column("revision", Integer(), nullable=False),
        Column("version", Integer(), nullable=False),
        Column("replans", Integer(), nullable=False),
        Column("reviews", Integer(), nullable=False),
        Column("trace", Text(), nullable=False),
        Column("team_blob", Text(), nullable=False),
        Column("created_at", UtcTime(), nullable=False),
        Column("finished_at", UtcTime(), nullable=True),
        Column("goal", Text(), nullable=False),
        Column("rules", Text(), nullable=False),
        Column("outcome", Text(), nullable=True),
        Column("next_number", Integer(), nullable=False),
        Column("audit_n", Integer(), nullable=False),
        Column("audit_digest", Text(), nullable=False),
        PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_newest", "runs", ["tenant", "created_at"])


def _workers(op: Operations) -> None:
    op.create_table(
        "workers",
        Column("id", Id(), nullable=False),
        Column("until", UtcTime(), nullable=False),
        Column("started_at", UtcTime(), nullable=False),
        PrimaryKeyConstraint("id", name="pk_workers"),
    )
    op.create_index("ix_workers_until", "workers", ["until"])


def _audit(op: Operations) -> None:
    op.create_table(
        "audit",
        Column("run_id", Id(), nullable=False),
        Column("n", Integer(), nullable=False),
        Column("at", UtcTime(), nullable=False),
        Column("actor", Text(), nullable=False),
        Column("action", Words(), nullable=False),
        Column("detail", Words(), nullable=False),
        Column("digest", Text(), nullable=False),
        ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_audit_run_id"),
        PrimaryKeyConstraint("run_id", "n", name="pk_audit"),
    )


def _subtasks(op: Operations) -> None:
    op.create_table(
        "subtasks",
        Column("id", Id(), nullable=False),
        Column("run_id", Id(), nullable=False),
        Column("number", Integer(), nullable=False),
        Column("key", Id(), nullable=False),
        Column("version", Integer(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("parent_id", Id(), nullable=True),
        Column("priority", Integer(), nullable=False),
        Column("status", Text(), nullable=False),
        Column("epoch", Integer(), nullable=False),
        Column("owner", Id(), nullable=True),
        Column("step", Integer(), nullable=False),
        Column("unmet", Integer(), nullable=False),
        Column("deaths", Integer(), nullable=False),
        Column("tries", Integer(), nullable=False),
        Column("worked_seconds", Float(precision=53), nullable=False),
        Column("skip_because", Words(), nullable=True),
        Column("wake_at", UtcTime(), nullable=True),
        Column("started_at", UtcTime(), nullable=True),
        Column("finished_at", UtcTime(), nullable=True),
        Column("notify_at", UtcTime(), nullable=True),
        Column("notify_count", Integer(), nullable=False),
        Column("claim", Text(), nullable=True),
        Column("spec", Text(), nullable=False),
        UniqueConstraint("run_id", "number", name="uq_subtasks_run_id"),
        ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_subtasks_run_id"),
        PrimaryKeyConstraint("id", name="pk_subtasks"),
        postgresql_with={"fillfactor": 70},
    )
    op.create_index("ix_subtasks_children", "subtasks", ["parent_id", "number"], **where("parent_id IS NOT NULL"))
    op.create_index("ix_subtasks_ready", "subtasks", ["notify_at"], **where("status = 'ready'"))
    op.create_index("ix_subtasks_running", "subtasks", ["owner", "id"], **where("status = 'running'"))
    op.create_index("ix_subtasks_status", "subtasks", ["run_id", "status"])
    op.create_index(
        "ix_subtasks_waiting", "subtasks", ["wake_at"], **where("status = 'waiting' AND wake_at IS NOT NULL")
    )


def _edges(op: Operations) -> None:
    op.create_table(
        "edges",
        Column("from_id", Id(), nullable=False),
        Column("to_id", Id(), nullable=False),
        Column("run_id", Id(), nullable=False),
        Column("needs", Text(), nullable=False),
        Column("of_child", Boolean(), nullable=False),
        Column("released_at", UtcTime(), nullable=True),
        ForeignKeyConstraint(["from_id"], ["subtasks.id"], name="fk_edges_from_id"),
        ForeignKeyConstraint(["to_id"], ["subtasks.id"], name="fk_edges_to_id"),
        PrimaryKeyConstraint("from_id", "to_id", name="pk_edges"),
    )
    op.create_index("ix_edges_into", "edges", ["to_id"])
    op.create_index("ix_edges_of_plan", "edges", ["run_id"], **where("NOT of_child"))


def _steps(op: Operations) -> None:
    op.create_table(
        "steps",
        Column("subtask_id", Id(), nullable=False),
        Column("n", Integer(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("open_calls", Integer(), nullable=False),
        Column("model", Words(), nullable=False),
        Column("input_tokens", BigInteger(), nullable=False),
        Column("output_tokens", BigInteger(), nullable=False),
        Column("picodollars", BigInteger(), nullable=True),
        Column("seconds", Float(precision=53), nullable=False),
        Column("document", Text(), nullable=False),
        ForeignKeyConstraint(["subtask_id"], ["subtasks.id"], name="fk_steps_subtask_id"),
        PrimaryKeyConstraint("subtask_id", "n", name="pk_steps"),
    )


def _effects(op: Operations) -> None:
    op.create_table(
        "effects",
        Column("subtask_id", Id(), nullable=False),
        Column("step", Integer(), nullable=False),
        Column("call_id", Words(), nullable=False),
        Column("status", Text(), nullable=False),
        Column("document", Text(), nullable=False),
        ForeignKeyConstraint(["subtask_id"], ["subtasks.id"], name="fk_effects_subtask_id"),
        PrimaryKeyConstraint("subtask_id", "step", "call_id", name="pk_effects"),
    )


def _observations(op: Operations) -> None:
    op.create_table(
        "observations",
        Column("subtask_id", Id(), nullable=False),
        Column("n", Integer(), nullable=False),
        Column("run_id", Id(), nullable=False),
        Column("ref", Id(), nullable=False),
        Column("document", Text(), nullable=False),
        UniqueConstraint("run_id", "ref", name="uq_observations_run_id"),
        ForeignKeyConstraint(["subtask_id"], ["subtasks.id"], name="fk_observations_subtask_id"),
        PrimaryKeyConstraint("subtask_id", "n", name="pk_observations"),
    )


def _findings(op: Operations) -> None:
    op.create_table(
        "findings",
        Column("subtask_id", Id(), nullable=False),
        Column("status", Text(), nullable=False),
        Column("ending", Text(), nullable=False),
        Column("document", Text(), nullable=False),
        ForeignKeyConstraint(["subtask_id"], ["subtasks.id"], name="fk_findings_subtask_id"),
        PrimaryKeyConstraint("subtask_id", name="pk_findings"),
    )


def _tickets(op: Operations) -> None:
    op.create_table(
        "tickets",
        Column("id", Id(), nullable=False),
        Column("tenant", Id(), nullable=False),
        Column("run_id", Id(), nullable=False),
        Column("subtask_id", Id(), nullable=False),
        Column("status", Text(), nullable=False),
        Column("opened_at", UtcTime(), nullable=False),
        Column("deadline", UtcTime(), nullable=True),
        Column("answer", Words(), nullable=True),
        Column("comment", Words(), nullable=False),
        Column("answered_by", Text(), nullable=True),
        Column("answered_at", UtcTime(), nullable=True),
        Column("document", Text(), nullable=False),
        ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_tickets_run_id"),
        ForeignKeyConstraint(["subtask_id"], ["subtasks.id"], name="fk_tickets_subtask_id"),
        PrimaryKeyConstraint("id", name="pk_tickets"),
    )
    op.create_index("ix_tickets_deadline", "tickets", ["deadline"], **where("status = 'open' AND deadline IS NOT NULL"))
    op.create_index("ix_tickets_run", "tickets", ["run_id"])
    op.create_index("ix_tickets_subtask", "tickets", ["subtask_id"])
    op.create_index("ix_tickets_tenant", "tickets", ["tenant", "opened_at"])
