"""Whether a run's root span has been exported."""

from alembic.operations import Operations
from sqlalchemy import Boolean, Column, false, text

revision = "0004"
down_revision = "0003"


def upgrade(op: Operations) -> None:
    """Add the note; runs that have ended were exported when they did."""
    op.add_column("runs", Column("traced", Boolean(), nullable=False, server_default=false()))
    op.execute("UPDATE runs SET traced = true WHERE finished_at IS NOT NULL")
    where = "finished_at IS NOT NULL AND NOT traced"
    op.create_index("ix_runs_untraced", "runs", ["finished_at"], sqlite_where=text(where), postgresql_where=text(where))
