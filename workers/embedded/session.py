"""A command's hold on the embedded services: while it stands they run, and they end with the last one."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from orchestrator.errors import ServiceError
from orchestrator.ports.clock import Deadline
from workers.embedded.launch import connect
from workers.embedded.link import Link, LinkClosedError
from workers.embedded.logs import last_line
from workers.embedded.protocol import Ask, ProtocolError, Reply, State
from workers.embedded.spec import Services
from workers.embedded.valkey import redis_url

START_LIMIT = 60.0
_ENDS_WITHIN = 30.0


@contextmanager
def services(spec: Services, *, wait_for_worker: bool = True, limit: float = START_LIMIT) -> Generator["Session"]:
    """Hold the services for the block: started if none run, shared if they do.

    On entry the broker answers and, when asked for, a worker takes work. On the orderly end of the block the last
    holder returns when everything has ended; after an exception (Ctrl-C) it does not wait for that.
    Raises ServiceError with one line.
    """
    session = Session(spec, limit)
    try:
        if wait_for_worker and spec.worker_count:
            session.wait_for_worker(limit)
        yield session
    except BaseException:
        session.close()
        raise
    session.leave()


class Session:
    """The connection, and what is known through it; may be used by several threads."""

    def __init__(self, spec: Services, limit: float = START_LIMIT) -> None:
        """Join the services of this home or start them. Raises ServiceError."""
        self._spec = spec.anchored()
        self._limit = limit
        self._mutex = threading.Lock()
        self._link: Link
        self._last: Reply
        self._join()

    @property
    def broker_url(self) -> str:
        """The broker's address as Celery reads it."""
        return self._last.state.broker_url

    @property
    def redis_url(self) -> str:
        """The broker's address as redis-py reads it."""
        return redis_url(self.broker_url)

    @property
    def differs(self) -> tuple[str, ...]:
        """Watched variables that had another value when the running services were started."""
        return self._last.differs

    def alive(self) -> bool:
        """False once the supervisor has ended; the next question starts the services again."""
        with self._mutex:
            return self._link.alive()

    def status(self) -> State:
        """How the services are at this moment."""
        with self._mutex:
            return self._ask("status", self._limit).state

    def wait_for_worker(self, limit: float = START_LIMIT) -> State:
        """Wait until a worker takes work. Raises ServiceError when none does, with the reason."""
        with self._mutex:
            try:
                state = self._ask("ready", limit).state
            except TimeoutError:
                log = self._spec.log_folder / "worker-1.log"
                line = last_line(log) or "nothing is in its log"
                raise ServiceError(f"no worker was ready within {limit:g} s: {line}", where=str(log)) from None
        _check(state)
        return state

    def leave(self) -> None:
        """Hold the services no more; if nobody else does, wait until they have ended."""
        with self._mutex:
            try:
                if self._link.alive():
                    self._link.ask("leave", Deadline.after(self._spec.grace + _ENDS_WITHIN))
            except (LinkClosedError, TimeoutError, ProtocolError):
                # It has ended, or goes on ending without us.
                pass
            finally:
                self._link.close()

    def close(self) -> None:
        """Hold the services no more, and do not wait."""
        self._link.close()

    def _ask(self, ask: Ask, limit: float) -> Reply:
        deadline = Deadline.after(limit)
        while True:
            try:
                if self._link.alive():
                    reply = self._link.ask(ask, deadline, self._spec.watched_values())
                    self._last = reply
                    return reply
            except LinkClosedError:
                pass
            except ProtocolError as error:
                raise ServiceError(f"the supervisor answers strangely: {error}", where=str(self._spec.home)) from None
            except TimeoutError:
                if ask == "ready":
                    raise
                raise ServiceError("the supervisor does not answer", where=str(self._spec.home)) from None
            self._rejoin(deadline)

    def _rejoin(self, deadline: Deadline) -> None:
        self._link.close()
        if deadline.passed():
            raise ServiceError("the services end again and again", where=str(self._spec.log_folder / "supervisor.log"))
        self._join()

    def _join(self) -> None:
        self._link, self._last = connect(self._spec, self._limit)
        try:
            if not self._last.state.broker_ready:
                _check(self._last.state)
        except ServiceError:
            self._link.close()
            raise


def _check(state: State) -> None:
    if state.trouble is not None and not state.ready:
        raise ServiceError(state.trouble.what, where=state.trouble.log)
