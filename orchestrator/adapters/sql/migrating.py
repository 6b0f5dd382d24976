"""Brings a database's schema up to what this code works with."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, select, text

from orchestrator.adapters.sql.lease_time import LeaseTime
from orchestrator.adapters.sql.schema import REVISIONS, workers
from orchestrator.errors import ConfigError, StoreError
from orchestrator.ports.care import Schema

MIGRATIONS = Path(__file__).parent / "migrations"


def is_current(connection: Connection, where: str) -> bool:
    """True when nothing is to be migrated; ConfigError when a newer Remit wrote the schema."""
    schema = schema_of(connection)
    if schema.newer:
        raise ConfigError(
            f"a newer Remit wrote this database (schema {schema.found}; this one knows {schema.wanted})",
            where=where,
            mend="Upgrade Remit, or use another database.",
        )
    return not schema.missing


def schema_of(connection: Connection) -> Schema:
    """The schema that is there, and those this code knows."""
    return Schema(_revision(connection), REVISIONS)


def at_work(connection: Connection, time: LeaseTime) -> list[str]:
    """Workers whose lease has not passed; none where there are no tables yet."""
    if schema_of(connection).found is None:
        return []
    valid = select(workers.c.id).where(workers.c.until > time.now).order_by(workers.c.id)
    return list(connection.scalars(valid, time.values()))


def refuse_beside_workers(connection: Connection, time: LeaseTime, where: str) -> None:
    """Workers that opened this database before know only the schema that it has now. Raises StoreError."""
    found = at_work(connection, time)
    if found:
        several = f"{len(found)} workers of an older Remit are" if len(found) > 1 else "a worker of an older Remit is"
        raise StoreError(
            f"{several} at work ({', '.join(found[:3])}) and would not know schema {REVISIONS[-1]}",
            where=where,
            mend="Stop them first, or migrate beside them with `remit db migrate --anyway`.",
        )


def upgrade(connection: Connection, to: str = "head") -> None:
    """Run the missing migrations, up to a revision, inside the connection's transaction."""
    # Alembic takes a third of a second to import, and is needed once in a database's life.
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.operations import Operations  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory(str(MIGRATIONS))

    def steps(revision: Any, _: MigrationContext) -> Any:
        return scripts._upgrade_revs(to, revision)  # pyright: ignore[reportPrivateUsage]

    context = MigrationContext.configure(connection, opts={"fn": steps})
    context.run_migrations(op=Operations(context))


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
