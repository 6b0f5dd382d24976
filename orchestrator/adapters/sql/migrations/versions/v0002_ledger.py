"""The ledger of budgets."""

from alembic.operations import Operations
from sqlalchemy import BigInteger, Column, Integer, PrimaryKeyConstraint, Text

from orchestrator.adapters.sql.kinds import Id

revision = "0002"
down_revision = "0001"


def upgrade(op: Operations) -> None:
    """Make its table."""
    op.create_table(
        "ledger",
        Column("account", Id(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("parent", Id(), nullable=True),
        Column("most", BigInteger(), nullable=True),
        Column("held", BigInteger(), nullable=True),
        Column("spent", BigInteger(), nullable=False),
        Column("reserved", BigInteger(), nullable=False),
        Column("on_limit", Text(), nullable=True),
        Column("asks", Integer(), nullable=False),
        Column("asked", Id(), nullable=True),
        PrimaryKeyConstraint("account", "kind", name="pk_ledger"),
    )
    op.create_index("ix_ledger_parent", "ledger", ["parent", "kind"])
