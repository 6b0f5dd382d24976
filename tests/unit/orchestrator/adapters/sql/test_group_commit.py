"""Group commit: what waits together is committed together, and nobody pays for another's mistake."""

import sqlite3
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, NullPool, create_engine, event, text
from sqlalchemy.exc import IntegrityError

from orchestrator.adapters.sql.group_commit import MOST_IN_A_GROUP, GroupCommit
from orchestrator.errors import RemitError, StoreError


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """A database with one table of numbers that refers to itself."""
    made = create_engine(
        f"sqlite:///{tmp_path / 'numbers.db'}",
        isolation_level="AUTOCOMMIT",
        poolclass=NullPool,
        connect_args={"check_same_thread": False},
    )
    with made.connect() as connection:
        connection.execute(text("PRAGMA journal_mode=WAL"))
        connection.execute(text("CREATE TABLE numbers (n INTEGER PRIMARY KEY, of INTEGER REFERENCES numbers (n))"))
    return made


@pytest.fixture
def writer(engine: Engine) -> Generator[GroupCommit]:
    """Its writer."""
    made = GroupCommit(engine, "numbers.db")
    yield made
    made.close()


def adding(n: int, of: int | None = None) -> Callable[[Connection], int]:
    """Work that adds a number and returns its double."""

    def work(connection: Connection) -> int:
        connection.execute(text("INSERT INTO numbers VALUES (:n, :of)"), {"n": n, "of": of})
        return 2 * n

    return work


def numbers(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.scalars(text("SELECT n FROM numbers ORDER BY n")))


class Gate:
    """Work that holds the writer until the gate opens, so that others queue up behind it."""

    def __init__(self, writer: GroupCommit) -> None:
        self._writer = writer
        self._entered = threading.Event()
        self._open = threading.Event()

    def __call__(self, _: Connection) -> None:
        self._entered.set()
        assert self._open.wait(20)

    def queue(self, *works: Callable[[Connection], object]) -> list[object]:
        """Run works together in one group; their results or errors."""

        def one(work: Callable[[Connection], object]) -> object:
            try:
                return self._writer.run(work)
            except (RemitError, IntegrityError) as error:
                return error

        with ThreadPoolExecutor(len(works) + 1) as pool:
            first = pool.submit(one, self)
            assert self._entered.wait(20)
            waiting = [pool.submit(one, work) for work in works]
            while self._writer.queued() < len(works):
                threading.Event().wait(0.001)
            self._open.set()
            first.result(20)
            return [future.result(20) for future in waiting]


def test_each_caller_gets_its_own_result(writer: GroupCommit, engine: Engine) -> None:
    """Fifty threads at once."""
    with ThreadPoolExecutor(50) as pool:
        results = list(pool.map(writer.run, [adding(n) for n in range(50)]))
    assert results == [2 * n for n in range(50)]
    assert numbers(engine) == list(range(50))


def test_what_queues_up_is_one_commit(writer: GroupCommit, engine: Engine) -> None:
    """Twenty that wait behind a slow one are committed with it."""
    statements: list[str] = []

    def trace(connection: sqlite3.Connection, _: object) -> None:
        connection.set_trace_callback(statements.append)

    event.listen(engine, "connect", trace)
    assert Gate(writer).queue(*(adding(n) for n in range(20))) == [2 * n for n in range(20)]
    assert statements.count("COMMIT") == 1
    assert numbers(engine) == list(range(20))


def test_a_member_that_fails_harms_nobody(writer: GroupCommit, engine: Engine) -> None:
    """Its own changes are undone, it gets its own error, the others are committed."""

    def fails(connection: Connection) -> None:
        adding(100)(connection)
        raise StoreError("mine")

    first, failed, twin, last = Gate(writer).queue(adding(1), fails, adding(1), adding(3))
    assert (first, last) == (2, 6) or (twin, last) == (2, 6)
    assert str(failed) == "mine"
    assert sum(isinstance(one, IntegrityError) for one in (first, twin)) == 1
    assert numbers(engine) == [1, 3]


def test_the_first_of_a_group_may_fail_too(writer: GroupCommit, engine: Engine) -> None:
    """The next call is not affected."""
    writer.run(adding(1))
    with pytest.raises(IntegrityError):
        writer.run(adding(1))
    assert writer.run(adding(2)) == 4
    assert numbers(engine) == [1, 2]


def test_a_commit_that_fails_fails_all_its_members(writer: GroupCommit, engine: Engine) -> None:
    """None of them may believe that it is stored; the next group is."""

    def dangling(connection: Connection) -> None:
        connection.execute(text("PRAGMA defer_foreign_keys=ON"))
        adding(7, of=8)(connection)

    def strict(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA foreign_keys=ON")

    event.listen(engine, "connect", strict)
    results = Gate(writer).queue(adding(1), dangling)
    assert all(isinstance(one, RemitError) for one in results)
    assert numbers(engine) == []
    assert writer.run(adding(1)) == 2
    assert numbers(engine) == [1]


def test_a_full_disk_is_said(writer: GroupCommit, engine: Engine) -> None:
    """And once there is room again, all is well."""

    def too_large(connection: Connection) -> None:
        connection.execute(text("PRAGMA max_page_count=3"))
        connection.execute(text("CREATE TABLE large (x)"))
        connection.execute(text("INSERT INTO large VALUES (zeroblob(100000))"))

    with pytest.raises(Exception, match="full"):
        writer.run(too_large)
    with engine.connect() as connection:
        connection.execute(text("PRAGMA max_page_count=1000"))
    assert writer.run(adding(1)) == 2


def test_whoever_is_interrupted_leaves_the_lead_to_the_next(writer: GroupCommit, engine: Engine) -> None:
    """Nothing of his is kept, nobody else hears of his interruption as of his own, and the next write goes through."""

    class Interrupted(BaseException):
        pass

    def interrupted(connection: Connection) -> None:
        adding(1)(connection)
        raise Interrupted

    first, failed, last = Gate(writer).queue(adding(2), adding(3), adding(4))
    assert (first, failed, last) == (4, 6, 8)
    with pytest.raises(Interrupted):
        writer.run(interrupted)
    assert writer.run(adding(5)) == 10
    assert numbers(engine) == [2, 3, 4, 5]


def test_an_interrupted_leader_is_a_lost_write_to_the_others(writer: GroupCommit, engine: Engine) -> None:
    """They are told that theirs may or may not be done, and nothing of the group is."""

    class Interrupted(BaseException):
        pass

    entered, queued = threading.Event(), threading.Event()

    def leads(connection: Connection) -> None:
        adding(1)(connection)
        entered.set()
        assert queued.wait(20)
        raise Interrupted

    with ThreadPoolExecutor(2) as pool:
        leader = pool.submit(writer.run, leads)
        assert entered.wait(20)
        other = pool.submit(writer.run, adding(2))
        while not writer.queued():
            threading.Event().wait(0.001)
        queued.set()
        with pytest.raises(Interrupted):
            leader.result(20)
        with pytest.raises(StoreError, match="broken off; it may have been done"):
            other.result(20)
    assert writer.run(adding(3)) == 6
    assert numbers(engine) == [3]


def test_more_than_a_group_holds_are_all_written(writer: GroupCommit, engine: Engine) -> None:
    """The rest is the next group's, led by the first of them."""
    wanted = range(MOST_IN_A_GROUP + 10)
    assert Gate(writer).queue(*(adding(n) for n in wanted)) == [2 * n for n in wanted]
    assert numbers(engine) == list(wanted)


def test_closing_waits_for_what_is_queued(engine: Engine) -> None:
    """Then nothing is taken any more."""
    writer = GroupCommit(engine, "numbers.db")
    with ThreadPoolExecutor(10) as pool:
        futures = [pool.submit(writer.run, adding(n)) for n in range(10)]
        results = [future.result() for future in futures]
        writer.close()
    assert results == [2 * n for n in range(10)]
    with pytest.raises(StoreError, match="the store is closed"):
        writer.run(adding(99))
    assert numbers(engine) == list(range(10))
