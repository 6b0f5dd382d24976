"""The one Valkey of a supervisor: started, asked whether it answers, started again when it died or hangs."""

from collections.abc import Callable
from pathlib import Path

from workers.embedded.children import Child, Nursery, how_it_ended
from workers.embedded.logs import last_line
from workers.embedded.policy import Restarts
from workers.embedded.protocol import Trouble
from workers.embedded.spec import Launch
from workers.embedded.valkey import ping, server_argv, shut_down

_ANSWERS_WITHIN = 10.0
_LOOK_AGAIN = 0.003
_CHECK_EVERY = 2.0
_PING_LIMIT = 1.0
_MISSES = 3
_STOPS_WITHIN = 1.0


class Broker:
    """Keeps Valkey running while `tick` is called; `say` receives one line per event."""

    def __init__(self, launch: Launch, nursery: Nursery, say: Callable[[str], None]) -> None:
        self._launch = launch
        self._nursery = nursery
        self._say = say
        self._child: Child | None = None
        self._restarts = Restarts()
        self._kill_at = 0.0
        self._check_at = 0.0
        self._misses = 0
        self.ready = False
        self.has_answered = False
        self.starts = 0
        self.trouble: Trouble | None = None

    @property
    def log(self) -> Path:
        """What the server writes."""
        return self._launch.services.log_folder / "valkey.log"

    @property
    def pid(self) -> int | None:
        """The running server's."""
        return self._child.pid if self._child else None

    def tick(self, now: float) -> float:
        """Do what is due; returns when to look again, unless something happens before."""
        if self._child is not None and (code := self._child.exit_code()) is not None:
            self._died(self._child, how_it_ended(code), now)
        if self._child is None:
            if now >= self._restarts.due:
                self._start(now)
            if self._child is None:
                return self._restarts.due
        return self._watch(self._child, now)

    def stop(self, now: float) -> None:
        """Ask the server to end; nothing in it needs to be kept."""
        if self._child is not None:
            if not (self.ready and shut_down(self._launch.broker_socket)):
                self._child.tell_to_stop()
            self._kill_at = now + _STOPS_WITHIN

    def stopped(self, now: float) -> bool:
        """True once it has ended; after a second it is made to."""
        if self._child is not None and self._child.exit_code() is not None:
            self._nursery.bury(self._child)
            self._child = None
        if self._child is not None and now >= self._kill_at:
            self._child.kill()
        return self._child is None

    def _start(self, now: float) -> None:
        # A killed server leaves its socket, and a connection to that is refused anyway.
        self._launch.broker_socket.unlink(missing_ok=True)
        argv = server_argv(self._launch.server, self._launch.broker_socket)
        self.starts += 1
        try:
            self._child = self._nursery.start(argv, self._launch.services.env, self.log, now)
        except OSError as error:
            self._failed(f"cannot be started: {error}", 0.0, now)
            return
        self._check_at = now
        self._misses = 0

    def _watch(self, child: Child, now: float) -> float:
        if self.ready:
            return self._check(child, now)
        if ping(self._launch.broker_socket, _PING_LIMIT):
            self.ready = self.has_answered = True
            self._restarts = self._restarts.after_ready()
            self.trouble = None
            self._say(f"Valkey answers (pid {child.pid})")
            self._check_at = now + _CHECK_EVERY
            return self._check_at
        if now - child.started > _ANSWERS_WITHIN:
            self._say(f"Valkey (pid {child.pid}) did not answer within {_ANSWERS_WITHIN:.0f} s")
            child.kill()
        return now + _LOOK_AGAIN

    def _check(self, child: Child, now: float) -> float:
        if now < self._check_at:
            return self._check_at
        self._check_at = now + _CHECK_EVERY
        self._misses = 0 if ping(self._launch.broker_socket, _PING_LIMIT) else self._misses + 1
        if self._misses >= _MISSES:
            self._say(f"Valkey (pid {child.pid}) does not answer any more")
            child.kill()
        return self._check_at

    def _died(self, child: Child, how: str, now: float) -> None:
        self._nursery.bury(child)
        self._child = None
        line = last_line(self.log, child.log_start)
        self._failed(f"{how}{': ' + line if line and not self.ready else ''}", now - child.started, now)

    def _failed(self, how: str, lived: float, now: float) -> None:
        self._restarts = self._restarts.after_death(lived=lived, was_ready=self.ready, now=now)
        self.ready = False
        self._say(f"Valkey ended ({how}); next start in {self._restarts.due - now:.1f} s")
        if self._restarts.in_trouble:
            what = f"Valkey ended {self._restarts.unready_deaths} times before it answered; {how}"
            self.trouble = Trouble(what, str(self.log))
