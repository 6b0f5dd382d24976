"""Databases for tests on one PostgreSQL server, whoever runs it."""

import secrets
from itertools import count

import psycopg
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.schema import REVISIONS, metadata
from orchestrator.ports.clock import SystemClock


def fault_of_server(given: str) -> str | None:
    """Why no databases can be made at this URL; None when they can."""
    try:
        url = make_url(given)
    except ArgumentError:
        return f"`{given}` is no URL. Write postgresql://user:password@host/database."
    where = url.render_as_string(hide_password=True)
    if url.drivername not in {"postgresql", "postgresql+psycopg"}:
        return f"{where} is no URL of PostgreSQL. Write postgresql://user:password@host/database."
    try:
        with psycopg.connect(libpq_url(given), connect_timeout=10) as connection:
            asked = "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user"
            may_make = connection.execute(asked).fetchone()
    except psycopg.Error as error:
        return f"nobody answers as wished at {where}: {str(error).strip().splitlines()[0]}. Is the server running?"
    if may_make != (True,):
        return f"the user of {where} may make no databases. Let it: ALTER ROLE … CREATEDB."
    return None


def libpq_url(url: str, database: str | None = None) -> str:
    """The URL as libpq reads it, to which a blank is `%20` alone; of another database of the server if one is named."""
    parsed = make_url(url).set(drivername="postgresql")
    named = parsed if database is None else parsed.set(database=database)
    before, mark, query = named.render_as_string(hide_password=False).partition("?")
    return before.replace(" ", "%20") + mark + query.replace("+", "%20")


class Databases:
    """Databases of one server: made from a template, emptied for the next test, and dropped when all is over."""

    def __init__(self, url: str) -> None:
        """`url`: any database of the server, and a user who may make others."""
        self._url = url
        self._prefix = f"remit_test_{secrets.token_hex(4)}"  # test processes run side by side
        self._numbers = count(1)
        self._made: list[str] = []
        self._free: list[str] = []
        self._template = self._create("template0")
        open_store(libpq_url(url, self._template), SystemClock()).close()

    def new_database(self, *, migrated: bool = True) -> str:
        """The URL of a new database, with all tables or none."""
        return libpq_url(self._url, self._create(self._template if migrated else "template0"))

    def borrow(self) -> str:
        """The URL of an empty store; one that a test gave back if there is one, for making a database takes long."""
        return self._free.pop() if self._free else self.new_database()

    def give_back(self, url: str) -> None:
        """Empty a store for the next test; one that cannot be emptied at once, or is not as it was, is left alone."""
        if self.emptied(url):
            self._free.append(url)

    def emptied(self, url: str) -> bool:
        """Empty a store; False when it cannot be done at once, or something is not as it was."""
        emptied = ["SET lock_timeout = '1s'", *(f"DELETE FROM {one.name}" for one in reversed(metadata.sorted_tables))]
        with psycopg.connect(url) as connection:
            try:
                connection.execute(";".join(emptied).encode())
                row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            except psycopg.Error:
                return False
        return row == (REVISIONS[-1],)

    def drop(self) -> None:
        """Drop them all, whoever still holds one."""
        for name in self._made:
            self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _create(self, template: str) -> str:
        name = f"{self._prefix}_{next(self._numbers)}"
        self._made.append(name)
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'")
        return name

    def _execute(self, statement: str) -> None:
        with psycopg.connect(libpq_url(self._url), autocommit=True) as connection:
            connection.execute(statement.encode())
