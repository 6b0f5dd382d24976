"""One thread a process writes to SQLite: what arrives while it commits goes into the next commit together."""

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from orchestrator.adapters.sql.failures import is_busy, translated
from orchestrator.errors import StoreError

MOST_IN_A_GROUP = 64
BUSY_TRIES = 4

T = TypeVar("T")


class _Member:
    """Work that waits for its commit."""

    __slots__ = ("_done", "error", "result", "work")

    def __init__(self, work: Callable[[Connection], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    def finish(self) -> None:
        self._done.release()

    def outcome(self) -> Any:
        self._done.acquire()
        if self.error is not None:
            raise self.error
        return self.result


class GroupCommit:
    """The writer thread and its queue."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine = engine
        self._where = where
        self._queue: SimpleQueue[_Member | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a transaction and return once it is durable; raises what the work raised."""
        member = _Member(work)
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed", where=self._where)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="remit-store", daemon=True)
                self._thread.start()
            self._queue.put(member)
        return cast("T", member.outcome())

    def queued(self) -> int:
        """How many wait for the group after the one at work."""
        return self._queue.qsize()

    def close(self) -> None:
        """Finish what is queued and stop the thread."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        connection: Connection | None = None
        going = True
        while going:
            first = self._queue.get()
            if first is None:
                break
            group = [first]
            try:
                connection = connection or self._engine.connect()
                _begin(connection)
                going = self._fill(connection, group)
                connection.exec_driver_sql("COMMIT")
            except BaseException as error:  # noqa: BLE001  # whatever it is, nobody may wait for ever
                going = self._drain(group) and going
                _fail(group, error, self._where)
                connection = _dropped(connection)
            for member in group:
                member.finish()
        if connection is not None:
            connection.close()

    def _fill(self, connection: Connection, group: list[_Member]) -> bool:
        """Run the group's first member and whatever else is queued; False when the thread is to stop."""
        if not _alone(connection, group[0]):
            _begin(connection)
        while len(group) < MOST_IN_A_GROUP:
            try:
                member = self._queue.get_nowait()
            except Empty:
                return True
            if member is None:
                return False
            group.append(member)
            _beside_others(connection, member)
        return True

    def _drain(self, group: list[_Member]) -> bool:
        """Take in what is queued, so that nobody waits for one failure after another."""
        while True:
            try:
                member = self._queue.get_nowait()
            except Empty:
                return True
            if member is None:
                return False
            group.append(member)


def _begin(connection: Connection) -> None:
    for left in reversed(range(BUSY_TRIES)):
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except SQLAlchemyError as error:
            if not (left and is_busy(error)):
                raise
        else:
            return


def _alone(connection: Connection, member: _Member) -> bool:
    """Run the first member, which needs no savepoint: there is nothing else to be kept."""
    try:
        member.result = member.work(connection)
    except Exception as error:  # noqa: BLE001  # handed to the caller's thread
        member.error = error
        connection.exec_driver_sql("ROLLBACK")
        return False
    return True


def _beside_others(connection: Connection, member: _Member) -> None:
    connection.exec_driver_sql("SAVEPOINT member")
    try:
        member.result = member.work(connection)
    except Exception as error:  # noqa: BLE001  # handed to the caller's thread
        member.error = error
        connection.exec_driver_sql("ROLLBACK TO member")
    connection.exec_driver_sql("RELEASE member")


def _fail(group: Sequence[_Member], error: BaseException, where: str) -> None:
    """Nobody's changes are kept; whoever already failed keeps its own error."""
    for member in group:
        if member.error is None:
            member.error = translated(error, where) if isinstance(error, SQLAlchemyError) else error


def _dropped(connection: Connection | None) -> None:
    """Close a connection whose transaction failed; the next group gets a new one."""
    if connection is not None:
        try:
            connection.invalidate()
            connection.close()
        except SQLAlchemyError:
            pass
