"""PostgreSQL: what is tried again, and what must not be."""

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import Connection, make_url, text

from orchestrator.adapters.sql.postgres import TRIES, PostgresDatabase
from orchestrator.errors import ConflictError, DefectError, StoreError

MINE = text("SELECT pg_terminate_backend(pg_backend_pid())")


@pytest.fixture
def database(pg_url: str) -> Generator[PostgresDatabase]:
    """A database with two workers' rows."""
    opened = PostgresDatabase(make_url(pg_url))
    for worker in "ab":
        opened.write(
            lambda connection, w=worker: execute(connection, f"INSERT INTO workers VALUES ('{w}', now(), now())")
        )
    yield opened
    opened.close()


def execute(connection: Connection, statement: str) -> None:
    connection.execute(text(statement))


def test_two_that_wait_for_each_other_both_come_through(database: PostgresDatabase) -> None:
    """The server breaks the deadlock; whoever lost is tried again from its beginning."""
    met = threading.Barrier(2)
    tries: list[str] = []

    def crosswise(first: str, second: str) -> Callable[[Connection], str]:
        def work(connection: Connection) -> str:
            tries.append(first)
            execute(connection, f"UPDATE workers SET until = now() WHERE id = '{first}'")
            if tries.count(first) == 1:
                met.wait(20)
            execute(connection, f"UPDATE workers SET until = now() WHERE id = '{second}'")
            return first

        return work

    with ThreadPoolExecutor(2) as pool:
        works = [crosswise("a", "b"), crosswise("b", "a")]
        assert list(pool.map(database.write, works)) == ["a", "b"]
    assert len(tries) > 2


@pytest.mark.parametrize("state", ["40001", "40P01", "55P03", "57P01", "08006"])
def test_what_may_go_through_a_moment_later_is_tried_again(database: PostgresDatabase, state: str) -> None:
    """Serialization failure, deadlock, a lock that is not free, a server that goes away: from the beginning."""
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(1)
        execute(connection, "INSERT INTO workers VALUES ('c', now(), now())")
        if len(tries) < 3:
            execute(connection, f"DO $$ BEGIN RAISE SQLSTATE '{state}'; END $$")

    database.write(work)
    assert len(tries) == 3
    count = text("SELECT count(*) FROM workers WHERE id = 'c'")
    assert database.read(lambda connection: connection.scalar(count)) == 1


@pytest.mark.parametrize(
    ("state", "mend"),
    [
        ("53100", "Make room on the disk of the database."),
        ("42501", "Give this user the rights it needs: its tables have to be its own."),
        ("22P02", "Check that the database runs and can be reached."),
    ],
)
def test_what_will_not_go_through_is_said_at_once(database: PostgresDatabase, state: str, mend: str) -> None:
    """A full disk, a missing right, a wrong value: one try, nothing is left, one line that says what to do."""
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(1)
        execute(connection, "INSERT INTO workers VALUES ('c', now(), now())")
        execute(connection, f"DO $$ BEGIN RAISE SQLSTATE '{state}'; END $$")

    with pytest.raises(StoreError) as caught:
        database.write(work)
    assert (len(tries), "\n" in str(caught.value), str(caught.value).endswith(mend)) == (1, False, True)
    count = text("SELECT count(*) FROM workers WHERE id = 'c'")
    assert database.read(lambda connection: connection.scalar(count)) == 0


def test_a_connection_that_is_lost_every_time_is_an_error_of_one_line(database: PostgresDatabase) -> None:
    """After a bounded number of tries."""
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(1)
        connection.execute(MINE)

    for run in (database.write, database.read, database.write_one):
        tries.clear()
        with pytest.raises(StoreError) as caught:
            run(work)
        assert len(tries) == TRIES
        assert "\n" not in str(caught.value)


def test_a_connection_that_is_lost_once_is_made_again(database: PostgresDatabase) -> None:
    """The work is done once in the database."""
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(1)
        execute(connection, "INSERT INTO workers VALUES ('c', now(), now())")
        if len(tries) == 1:
            connection.execute(MINE)

    database.write(work)
    assert len(tries) == 2
    count = text("SELECT count(*) FROM workers WHERE id = 'c'")
    assert database.read(lambda connection: connection.scalar(count)) == 1


def test_a_commit_that_may_have_been_done_is_not_repeated(database: PostgresDatabase, pg_url: str) -> None:
    """Nobody knows its outcome: whoever asked has to read again."""
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(1)
        execute(connection, "INSERT INTO workers VALUES ('c', now(), now())")
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        with psycopg.connect(pg_url, autocommit=True) as killer:
            killer.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])

    with pytest.raises(StoreError, match="it may have been done"):
        database.write(work)
    assert len(tries) == 1


def test_what_a_transaction_decides_is_not_tried_again(database: PostgresDatabase) -> None:
    """Our own errors pass as they are, a refused row is a defect; both leave nothing."""
    tries: list[int] = []

    def conflicts(connection: Connection) -> None:
        tries.append(1)
        execute(connection, "INSERT INTO workers VALUES ('c', now(), now())")
        raise ConflictError("somebody was first")

    def twice(connection: Connection) -> None:
        tries.append(1)
        execute(connection, "INSERT INTO workers VALUES ('c', now(), now()), ('a', now(), now())")

    with pytest.raises(ConflictError):
        database.write(conflicts)
    with pytest.raises(DefectError, match="refused a row"):
        database.write(twice)
    assert len(tries) == 2
    count = text("SELECT count(*) FROM workers WHERE id = 'c'")
    assert database.read(lambda connection: connection.scalar(count)) == 0
