"""Reads a whole table in pages, so that no read keeps the database from tidying up behind writers."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, literal, select, tuple_
from sqlalchemy.sql.elements import ColumnElement

from orchestrator.adapters.sql.rows import AnyRow

PAGE = 500

T = TypeVar("T")

Read = Callable[[Callable[[Connection], T]], T]


def rows_of(
    read: Read[Any], table: Table, wanted: ColumnElement[bool], *columns: ColumnElement[Any]
) -> Iterator[AnyRow]:
    """Those rows of a table in the order of its primary key: the key's columns, then the columns asked for."""
    key = list(table.primary_key.columns)
    statement = select(*key, *columns).where(wanted).order_by(*key).limit(PAGE)
    after: tuple[Any, ...] | None = None
    while True:
        page = statement
        if after is not None:
            bounds = [literal(value, column.type) for value, column in zip(after, key, strict=True)]
            page = statement.where(tuple_(*key) > tuple_(*bounds))
        rows = read(lambda connection, page=page: connection.execute(page).all())
        yield from rows
        if len(rows) < PAGE:
            return
        after = tuple(rows[-1][: len(key)])
