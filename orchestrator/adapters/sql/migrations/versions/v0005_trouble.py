"""What broke off a subtask's last turn, when it was something of ours."""

from alembic.operations import Operations
from sqlalchemy import Column

from orchestrator.adapters.sql.kinds import Words

revision = "0005"
down_revision = "0004"


def upgrade(op: Operations) -> None:
    """Add the column."""
    op.add_column("subtasks", Column("trouble", Words()))
