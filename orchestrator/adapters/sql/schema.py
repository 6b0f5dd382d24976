"""The tables: typed columns for what is asked for, JSON text for documents."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    false,
    literal_column,
    text,
)
from sqlalchemy.sql.elements import ColumnElement

from orchestrator.adapters.sql.kinds import Id, UtcTime, Words

REVISIONS = ("0001", "0002", "0003", "0004", "0005")
"""Every schema this code knows, oldest first; the last one is what it works with."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)


def status_is(column: Column[str], *values: str) -> ColumnElement[bool]:
    """`column` is one of the values, written into the SQL: only then does a database use a partial index."""
    literals = [literal_column(f"'{value}'") for value in values]
    return column == literals[0] if len(literals) == 1 else column.in_(literals)


def _partial(name: str, *columns: Column[object], where: str) -> Index:
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


runs = Table(
    "runs",
    metadata,
    Column("id", Id(), primary_key=True),
    Column("tenant", Id(), nullable=False),
    Column("status", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("replans", Integer, nullable=False),
    Column("reviews", Integer, nullable=False),
    Column("trace", Text, nullable=False),
    Column("team_blob", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("goal", Text, nullable=False),
    Column("rules", Text, nullable=False),
    Column("outcome", Text),
    Column("next_number", Integer, nullable=False),
    Column("audit_n", Integer, nullable=False),
    Column("audit_digest", Text, nullable=False),
    Column("traced", Boolean, nullable=False, server_default=false()),
)
Index("ix_runs_newest", runs.c.tenant, runs.c.created_at)
_partial("ix_runs_untraced", runs.c.finished_at, where="finished_at IS NOT NULL AND NOT traced")

subtasks = Table(
    "subtasks",
    metadata,
    Column("id", Id(), primary_key=True),
    Column("run_id", Id(), ForeignKey(runs.c.id), nullable=False),
    Column("number", Integer, nullable=False),
    Column("key", Id(), nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("parent_id", Id()),
    Column("priority", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("owner", Id()),
    Column("step", Integer, nullable=False),
    Column("unmet", Integer, nullable=False),
    Column("deaths", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("worked_seconds", Float(53), nullable=False),
    Column("skip_because", Words),
    Column("wake_at", UtcTime),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
    Column("notify_at", UtcTime),
    Column("notify_count", Integer, nullable=False),
    Column("claim", Text),  # a claim sent again after a lost connection recognises its own work by it
    Column("spec", Text, nullable=False),
    Column("trouble", Words),
    UniqueConstraint("run_id", "number"),
    postgresql_with={"fillfactor": 70},  # room for a row's next states on its own page
)
Index("ix_subtasks_status", subtasks.c.run_id, subtasks.c.status)
_partial("ix_subtasks_children", subtasks.c.parent_id, subtasks.c.number, where="parent_id IS NOT NULL")
_partial("ix_subtasks_ready", subtasks.c.notify_at, where="status = 'ready'")
_partial("ix_subtasks_waiting", subtasks.c.wake_at, where="status = 'waiting' AND wake_at IS NOT NULL")
_partial("ix_subtasks_running", subtasks.c.owner, subtasks.c.id, where="status = 'running'")

edges = Table(
    "edges",
    metadata,
    Column("from_id", Id(), ForeignKey(subtasks.c.id), nullable=False),
    Column("to_id", Id(), ForeignKey(subtasks.c.id), nullable=False),
    Column("run_id", Id(), nullable=False),
    Column("needs", Text, nullable=False),
    Column("of_child", Boolean, nullable=False),
    Column("released_at", UtcTime),
    PrimaryKeyConstraint("from_id", "to_id"),
)
Index("ix_edges_into", edges.c.to_id)
_partial("ix_edges_of_plan", edges.c.run_id, where="NOT of_child")

steps = Table(
    "steps",
    metadata,
    Column("subtask_id", Id(), ForeignKey(subtasks.c.id), nullable=False),
    Column("n", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("open_calls", Integer, nullable=False),
    Column("model", Words, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("picodollars", BigInteger),
    Column("seconds", Float(53), nullable=False),
    Column("document", Text, nullable=False),
    PrimaryKeyConstraint("subtask_id", "n"),
)

effects = Table(
    "effects",
    metadata,
    Column("subtask_id", Id(), ForeignKey(subtasks.c.id), nullable=False),
    Column("step", Integer, nullable=False),
    Column("call_id", Words, nullable=False),
    Column("status", Text, nullable=False),
    Column("document", Text, nullable=False),
    PrimaryKeyConstraint("subtask_id", "step", "call_id"),
)

observations = Table(
    "observations",
    metadata,
    Column("subtask_id", Id(), ForeignKey(subtasks.c.id), nullable=False),
    Column("n", Integer, nullable=False),
    Column("run_id", Id(), nullable=False),
    Column("ref", Id(), nullable=False),
    Column("document", Text, nullable=False),
    PrimaryKeyConstraint("subtask_id", "n"),
    UniqueConstraint("run_id", "ref"),
)

findings = Table(
    "findings",
    metadata,
    Column("subtask_id", Id(), ForeignKey(subtasks.c.id), primary_key=True),
    Column("status", Text, nullable=False),
    Column("ending", Text, nullable=False),
    Column("document", Text, nullable=False),
)

tickets = Table(
    "tickets",
    metadata,
    Column("id", Id(), primary_key=True),
    Column("tenant", Id(), nullable=False),
    Column("run_id", Id(), ForeignKey(runs.c.id), nullable=False),
    Column("subtask_id", Id(), ForeignKey(subtasks.c.id), nullable=False),
    Column("status", Text, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("deadline", UtcTime),
    Column("answer", Words),
    Column("comment", Words, nullable=False),
    Column("answered_by", Text),
    Column("answered_at", UtcTime),
    Column("document", Text, nullable=False),
)
Index("ix_tickets_tenant", tickets.c.tenant, tickets.c.opened_at)
Index("ix_tickets_run", tickets.c.run_id)
Index("ix_tickets_subtask", tickets.c.subtask_id)
_partial("ix_tickets_deadline", tickets.c.deadline, where="status = 'open' AND deadline IS NOT NULL")

workers = Table(
    "workers",
    metadata,
    Column("id", Id(), primary_key=True),
    Column("until", UtcTime, nullable=False),
    Column("started_at", UtcTime, nullable=False),
)
Index("ix_workers_until", workers.c.until)

pools = Table(
    "pools",
    metadata,
    Column("name", Id(), primary_key=True),
    Column("most", Integer, nullable=False),
)

capped_runs = Table(
    "capped_runs",
    metadata,
    Column("run_id", Id(), ForeignKey(runs.c.id), primary_key=True),
    Column("caps", Text, nullable=False),
)
"""Runs at work that some cap concerns."""

places = Table(
    "places",
    metadata,
    Column("subtask_id", Id(), ForeignKey(subtasks.c.id), primary_key=True),
    Column("pools", Text, nullable=False),
    Column("held", Boolean, nullable=False),
    Column("since", UtcTime),  # since when it stands in line; none: it was not held back since its last turn
)
"""Subtasks that have not ended and that some cap concerns."""
_partial("ix_places_held", places.c.pools, places.c.since, places.c.subtask_id, where="held")
_partial("ix_places_admitted", places.c.since, where="since IS NOT NULL AND NOT held")

audit = Table(
    "audit",
    metadata,
    Column("run_id", Id(), ForeignKey(runs.c.id), nullable=False),
    Column("n", Integer, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Words, nullable=False),
    Column("detail", Words, nullable=False),
    Column("digest", Text, nullable=False),
    PrimaryKeyConstraint("run_id", "n"),
)

ledger = Table(
    "ledger",
    metadata,
    Column("account", Id(), nullable=False),
    Column("kind", Text, nullable=False),
    Column("parent", Id()),
    Column("most", BigInteger),
    Column("held", BigInteger),
    Column("spent", BigInteger, nullable=False),
    Column("reserved", BigInteger, nullable=False),
    Column("on_limit", Text),
    Column("asks", Integer, nullable=False),
    Column("asked", Id()),
    PrimaryKeyConstraint("account", "kind"),
)
Index("ix_ledger_parent", ledger.c.parent, ledger.c.kind)
