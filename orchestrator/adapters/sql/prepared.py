"""Statements of every step: written as SQL once, and on SQLite given to the driver without a detour."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Delete, Dialect, Insert, Select, Update
from sqlalchemy.dialects import sqlite

Statement = Select[*tuple[Any, ...]] | Insert | Update | Delete


@dataclass(frozen=True, slots=True)
class Written:
    """A statement as a driver takes it."""

    text: str
    parameters: Sequence[tuple[str, Callable[[Any], Any] | None]]
    """Each as often as it stands there, with what makes the database's value of ours."""

    def by_name(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of its parameters; `values` may hold more."""
        return {name: bind(values[name]) if bind else values[name] for name, bind in self.parameters}

    def in_order(self, values: Mapping[str, Any]) -> list[Any]:
        """The same for a driver that counts parameters."""
        return [bind(values[name]) if bind else values[name] for name, bind in self.parameters]


def write_out(statement: Statement, dialect: Dialect) -> Written:
    """Have SQLAlchemy write the statement out once, for a driver that is spoken to without it."""
    compiled = statement.compile(dialect=dialect)
    names = compiled.positiontup or list(compiled.binds)
    types = ((name, compiled.binds[name].type.dialect_impl(dialect)) for name in names)
    return Written(compiled.string, [(name, kind.bind_processor(dialect)) for name, kind in types])


class Prepared:
    """A statement that is executed so often that what SQLAlchemy does around it counts: on SQLite that takes ten times
    as long as the database itself. Elsewhere the way to the server takes longest, and SQLAlchemy knows its connections.
    """

    def __init__(self, statement: Statement) -> None:
        self._statement = statement

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Execute it with a value for each of its parameters; the rows it returns."""
        if connection.dialect.name != "sqlite":
            return connection.execute(self._statement, values).all()
        written = self._written
        return driver_of(connection).execute(written.text, written.in_order(values)).fetchall()

    def run_each(self, connection: Connection, every: Sequence[Mapping[str, Any]]) -> None:
        """Execute one that returns nothing, once for each of these values."""
        if connection.dialect.name != "sqlite":
            connection.execute(self._statement, every if len(every) > 1 else every[0])
            return
        written = self._written
        driver_of(connection).executemany(written.text, map(written.in_order, every))

    @cached_property
    def _written(self) -> Written:
        return write_out(self._statement, sqlite.dialect())


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection of a connection to SQLite."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver
