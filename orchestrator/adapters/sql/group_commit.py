"""Group commit to SQLite: one caller at a time writes, and what arrives while he does goes into a commit together."""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from orchestrator.adapters.sql.failures import DATABASE_ERRORS, is_busy, translated
from orchestrator.adapters.sql.prepared import driver_of
from orchestrator.errors import RemitError, StoreError

MOST_IN_A_GROUP = 64
BUSY_TRIES = 4

T = TypeVar("T")


class _Member:
    """Work that waits for its commit, or for its caller's turn to lead."""

    __slots__ = ("_woken", "error", "result", "work")

    def __init__(self, work: Callable[[Connection], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self._woken = threading.Lock()
        self._woken.acquire()

    def wake(self) -> None:
        self._woken.release()

    def wait(self) -> None:
        self._woken.acquire()

    def outcome(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


class GroupCommit:
    """The connection that writes, and who waits for it.

    Whoever finds it free leads: he writes in his own thread, for himself and for all who come before his commit; then
    the first of those who came later leads. A thread that did nothing else would have to be woken for each write.
    """

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine = engine
        self._where = where
        self._connection: Connection | None = None
        self._waiting: deque[_Member] = deque()
        self._leader: _Member | None = None
        self._free = threading.Condition(threading.Lock())
        self._closed = False

    def run(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a transaction and return once it is durable; raises what the work raised."""
        member = _Member(work)
        try:
            self._come(member)
            if self._leader is not member:
                self._wait(member)
            if self._leader is member:
                self._lead(member)
        finally:
            if self._leader is member:
                self._hand_on()
        return cast("T", member.outcome())

    def queued(self) -> int:
        """How many wait for the group after the one at work."""
        return len(self._waiting)

    def close(self) -> None:
        """Wait until everything is written, take nothing more, and close the connection."""
        with self._free:
            self._closed = True
            self._free.wait_for(lambda: self._leader is None)
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _come(self, member: _Member) -> None:
        with self._free:
            if self._closed:
                raise StoreError("the store is closed", where=self._where)
            if self._leader is None:
                self._leader = member
            else:
                self._waiting.append(member)

    def _wait(self, member: _Member) -> None:
        """Until it is committed, or leads."""
        try:
            member.wait()
        except BaseException:
            with self._free:
                if member in self._waiting:  # nobody may make a leader of who is gone
                    self._waiting.remove(member)
            raise

    def _hand_on(self) -> None:
        """The first of those who wait leads from here on."""
        with self._free:
            self._leader = self._waiting.popleft() if self._waiting else None
            if self._leader is not None:
                self._leader.wake()
            elif self._closed:
                self._free.notify_all()

    def _lead(self, leader: _Member) -> None:
        group = [leader]
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            driver = driver_of(self._connection)
            _begin(driver)
            self._fill(self._connection, driver, group)
            driver.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001  # whatever it is, nobody may wait for ever
            group += self._taken(None)
            _fail(group, error, self._where)
            self._drop()
        for member in group[1:]:
            member.wake()

    def _fill(self, connection: Connection, driver: sqlite3.Connection, group: list[_Member]) -> None:
        """Run the leader's work, and that of all who came meanwhile."""
        if not _alone(connection, driver, group[0]):
            _begin(driver)
        while len(group) < MOST_IN_A_GROUP and (taken := self._taken(1)):
            group += taken
            _beside_others(connection, driver, taken[0])

    def _taken(self, most: int | None) -> list[_Member]:
        """Who waits, not to wait any longer; nobody waits for one failure after another."""
        with self._free:
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), most or len(self._waiting)))]

    def _drop(self) -> None:
        """Close a connection whose transaction failed; the next group gets a new one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.invalidate()
                connection.close()
            except SQLAlchemyError:
                pass


def _begin(driver: sqlite3.Connection) -> None:
    for left in reversed(range(BUSY_TRIES)):
        try:
            driver.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if not (left and is_busy(error)):
                raise
        else:
            return


def _alone(connection: Connection, driver: sqlite3.Connection, member: _Member) -> bool:
    """Run the first member, which needs no savepoint: there is nothing else to be kept."""
    try:
        member.result = member.work(connection)
    except Exception as error:  # noqa: BLE001  # handed to the caller
        member.error = error
        driver.execute("ROLLBACK")
        return False
    return True


def _beside_others(connection: Connection, driver: sqlite3.Connection, member: _Member) -> None:
    driver.execute("SAVEPOINT member")
    try:
        member.result = member.work(connection)
    except Exception as error:  # noqa: BLE001  # handed to the caller
        member.error = error
        driver.execute("ROLLBACK TO member")
    driver.execute("RELEASE member")


def _fail(group: Sequence[_Member], error: BaseException, where: str) -> None:
    """Nobody's changes are kept; whoever already failed keeps its own error."""
    leader, *others = group
    said = translated(error, where) if isinstance(error, DATABASE_ERRORS) else error
    leader.error = leader.error or said
    for member in others:
        member.error = member.error or (said if isinstance(said, RemitError) else _broken_off(where))


def _broken_off(where: str) -> StoreError:
    """What interrupted the leader is not the others' error; his commit may have been on its way."""
    return StoreError(
        "the write was broken off; it may have been done", where=where, mend="Read again before trying again."
    )
