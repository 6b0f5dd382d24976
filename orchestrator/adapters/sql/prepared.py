"""Statements of every step: written as SQL once, and on SQLite given to the driver without a detour."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Delete, Insert, Select, Update
from sqlalchemy.dialects import sqlite

Statement = Select[*tuple[Any, ...]] | Insert | Update | Delete

_Parameter = tuple[str, Callable[[Any], Any] | None]
"""Its name, and what makes the database's value of ours."""


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
        text, parameters = self._written
        return driver_of(connection).execute(text, _bound(parameters, values)).fetchall()

    def run_each(self, connection: Connection, every: Sequence[Mapping[str, Any]]) -> None:
        """Execute one that returns nothing, once for each of these values."""
        if connection.dialect.name != "sqlite":
            connection.execute(self._statement, every if len(every) > 1 else every[0])
            return
        text, parameters = self._written
        driver_of(connection).executemany(text, [_bound(parameters, values) for values in every])

    @cached_property
    def _written(self) -> tuple[str, list[_Parameter]]:
        """The text, and its parameters in their order."""
        dialect = sqlite.dialect()
        compiled = self._statement.compile(dialect=dialect)
        binds = compiled.binds
        names: Sequence[str] = compiled.positiontup or ()
        return compiled.string, [
            (name, binds[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in names
        ]


def _bound(parameters: Sequence[_Parameter], values: Mapping[str, Any]) -> list[Any]:
    return [bind(values[name]) if bind else values[name] for name, bind in parameters]


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection of a connection to SQLite."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver
