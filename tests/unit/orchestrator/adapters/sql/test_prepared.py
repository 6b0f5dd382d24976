"""Statements given to SQLite's driver mean what they mean through SQLAlchemy."""

from collections.abc import Generator
from datetime import UTC, datetime

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, bindparam, create_engine, insert, select, update

from orchestrator.adapters.sql.kinds import Id, UtcTime, Words
from orchestrator.adapters.sql.prepared import Prepared

NOTES = Table("notes", MetaData(), Column("id", Id(), primary_key=True), Column("said", Words), Column("at", UtcTime))
MOMENT = datetime(2026, 3, 1, 12, 0, 0, 7, tzinfo=UTC)


@pytest.fixture
def connection() -> Generator[Connection]:
    """A database with one table."""
    engine = create_engine("sqlite://")
    with engine.connect() as made:
        NOTES.create(made)
        yield made


def test_values_are_stored_as_sqlalchemy_stores_them(connection: Connection) -> None:
    """Times become numbers, what no database keeps becomes a mark, None stays None."""
    rows = [{"id": "a", "said": "\x00看\ud800", "at": MOMENT}, {"id": "b", "said": None, "at": None}]
    Prepared(insert(NOTES)).run_each(connection, rows)
    stored = connection.execute(select(NOTES).order_by(NOTES.c.id)).all()
    assert [tuple(row) for row in stored] == [("a", "\ufffd看\ufffd", MOMENT), ("b", None, None)]


def test_what_is_returned_comes_as_rows_and_the_statement_is_over(connection: Connection) -> None:
    """Nothing of it keeps a later commit from happening."""
    Prepared(insert(NOTES)).run_each(connection, [{"id": one, "said": "x", "at": MOMENT} for one in ("a", "b")])
    changed = Prepared(
        update(NOTES).where(NOTES.c.said == bindparam("before")).values(said=bindparam("after")).returning(NOTES.c.id)
    )
    assert {*map(tuple, changed.rows(connection, {"before": "x", "after": "y"}))} == {("a",), ("b",)}
    assert changed.rows(connection, {"before": "x", "after": "y"}) == []
    connection.commit()
    assert connection.scalars(select(NOTES.c.said)).all() == ["y", "y"]


def test_a_parameter_may_stand_twice(connection: Connection) -> None:
    """Its value is given for both."""
    Prepared(insert(NOTES)).run_each(connection, [{"id": "a", "said": "a", "at": MOMENT}])
    same = Prepared(select(NOTES.c.id).where(NOTES.c.id == bindparam("both"), NOTES.c.said == bindparam("both")))
    assert same.rows(connection, {"both": "a"}) == [("a",)]
    assert same.rows(connection, {"both": "b"}) == []


def test_a_value_that_is_missing_is_an_error(connection: Connection) -> None:
    """Not a NULL."""
    with pytest.raises(KeyError, match="most"):
        Prepared(select(NOTES.c.id).where(bindparam("most", type_=Integer()) > 1)).rows(connection, {})
