"""Brings a database's schema up to what this code works with."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text

from orchestrator.adapters.sql.schema import REVISIONS
from orchestrator.errors import ConfigError

MIGRATIONS = Path(__file__).parent / "migrations"


def is_current(connection: Connection, where: str) -> bool:
    """True when nothing is to be migrated; ConfigError when a newer Remit wrote the schema."""
    found = _revision(connection)
    if found is not None and found not in REVISIONS:
        raise ConfigError(
            f"a newer Remit wrote this database (schema {found}; this one knows {REVISIONS[-1]})",
            where=where,
            mend="Upgrade Remit, or use another database.",
        )
    return found == REVISIONS[-1]


def upgrade(connection: Connection) -> None:
    """Run the missing migrations inside the connection's transaction."""
    # Alembic takes a third of a second to import, and is needed once in a database's life.
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.operations import Operations  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory(str(MIGRATIONS))

    def steps(revision: Any, _: MigrationContext) -> Any:
        return scripts._upgrade_revs("head", revision)  # pyright: ignore[reportPrivateUsage]

    context = MigrationContext.configure(connection, opts={"fn": steps})
    context.run_migrations(op=Operations(context))


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
