"""Caps on what may be at work at the same time."""

from alembic.operations import Operations
from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text, text

from orchestrator.adapters.sql.kinds import Id, UtcTime

revision = "0003"
down_revision = "0002"


def upgrade(op: Operations) -> None:
    """Make their tables."""
    op.create_table(
        "pools",
        Column("name", Id(), nullable=False),
        Column("most", Integer(), nullable=False),
        PrimaryKeyConstraint("name", name="pk_pools"),
    )
    op.create_table(
        "capped_runs",
        Column("run_id", Id(), nullable=False),
        Column("caps", Text(), nullable=False),
        PrimaryKeyConstraint("run_id", name="pk_capped_runs"),
        ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_capped_runs_run_id"),
    )
    op.create_table(
        "places",
        Column("subtask_id", Id(), nullable=False),
        Column("pools", Text(), nullable=False),
        Column("held", Boolean(), nullable=False),
        Column("since", UtcTime(), nullable=True),
        PrimaryKeyConstraint("subtask_id", name="pk_places"),
        ForeignKeyConstraint(["subtask_id"], ["subtasks.id"], name="fk_places_subtask_id"),
    )
    _partial(op, "ix_places_held", "places", ["pools", "since", "subtask_id"], "held")
    _partial(op, "ix_places_admitted", "places", ["since"], "since IS NOT NULL AND NOT held")


def _partial(op: Operations, name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=text(where), postgresql_where=text(where))
