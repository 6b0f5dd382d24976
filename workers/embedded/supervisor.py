"""The detached process that owns Valkey and the workers, and ends them when no command needs them any more.

It is started by `launch.py` as `python -m workers.embedded.supervisor HOME LOCK_FD` with a connection of the
starting command as standard input. It imports little, as its start is part of every command's.
"""

import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from workers.embedded.broker import Broker
from workers.embedded.children import Nursery
from workers.embedded.control import Control, Holder
from workers.embedded.crew import Crew
from workers.embedded.logs import cap
from workers.embedded.mourning import Mourning
from workers.embedded.protocol import LONGEST_LINE, Reply, Request, State
from workers.embedded.record import remove_record, write_record
from workers.embedded.spec import Launch
from workers.embedded.valkey import kombu_url

_HOUSEKEEPING = 5.0
_SHORTEST_WAIT = 0.002
_TOLD_WITHIN = 10.0


class Supervisor:
    """One loop in one thread: children that ended, requests, timers."""

    def __init__(self, launch: Launch, first: socket.socket, unread: bytes, lock_fd: int) -> None:
        self._launch = launch
        self._url = kombu_url(launch.broker_socket)
        self._nursery = Nursery(lock_fd)
        self._selector = selectors.DefaultSelector()
        self._waiting: list[tuple[Holder, Request]] = []
        self._signals = 0
        self._lost = False
        self._tidy_at = 0.0
        self._listen_to_signals()
        self._broker = Broker(launch, self._nursery, say)
        self._mourning = Mourning(launch.services, self._url, self._nursery, say)
        self._crew = Crew(launch.services, self._url, self._nursery, self._selector, self._mourning, say)
        self._control = Control(launch.control_socket, self._selector, self._asked, say)
        self._control.adopt(first, unread)

    def run(self) -> None:
        """Serve until nobody holds the services, then end everything in order."""
        write_record(self._launch.services.run_folder, self._launch.control_socket)
        self._mourning.begin_with_the_left_behind(time.monotonic())
        while True:
            now = time.monotonic()
            wake = min(self._serve(now), self._tidy(now))
            self._answer()
            if self._idle():
                break
            self._wait(wake)
        self._finish()

    def _wanted(self) -> bool:
        return self._control.held and self._signals == 0 and not self._lost

    def _serve(self, now: float) -> float:
        if self._signals:
            self._control.close_listener()
        if self._signals > 1:
            self._crew.kill()
        broker_due = self._broker.tick(now)
        wanted = self._wanted()
        if wanted and not self._broker.has_answered:
            # At the very start a worker would only complain that there is no broker yet.
            return broker_due
        return min(broker_due, self._crew.tick(now, wanted=wanted))

    def _idle(self) -> bool:
        if self._wanted() or not self._crew.empty():
            return False
        # A command that connected meanwhile keeps us; one that comes later finds no socket and starts another.
        self._control.accept()
        if self._wanted():
            return False
        self._control.close_listener()
        return True

    def _finish(self) -> None:
        self._broker.stop(time.monotonic())
        while not self._broker.stopped(now := time.monotonic()):
            self._wait(now + 0.05)
        self._nursery.close()
        if not self._lost:
            with suppress(OSError):
                self._launch.broker_socket.unlink(missing_ok=True)
                self._launch.sockets.rmdir()
        remove_record(self._launch.services.run_folder)
        say("all services have ended")
        self._control.close()

    def _asked(self, holder: Holder, request: Request) -> None:
        if request.ask == "leave":
            holder.left = True
        self._waiting.append((holder, request))

    def _answer(self) -> None:
        state = self._state()
        for holder, request in list(self._waiting):
            if not self._control.has(holder):
                self._waiting.remove((holder, request))
            elif self._answerable(request, state):
                self._waiting.remove((holder, request))
                self._control.reply(holder, Reply(request.number, state, self._differs(request)))

    def _answerable(self, request: Request, state: State) -> bool:
        match request.ask:
            case "status":
                return True
            case "leave":
                return self._wanted()
            case "hello":
                return state.broker_ready or state.trouble is not None
            case "ready":
                return state.ready or state.trouble is not None

    def _differs(self, request: Request) -> tuple[str, ...]:
        env = self._launch.services.env
        return tuple(name for name, value in request.watched.items() if env.get(name, "") != value)

    def _state(self) -> State:
        broker = self._broker
        return State(
            broker_url=self._url,
            broker_pid=broker.pid,
            broker_ready=broker.ready,
            broker_starts=broker.starts,
            supervisor_pid=os.getpid(),
            workers=self._crew.states(),
            trouble=broker.trouble or self._crew.trouble,
        )

    def _tidy(self, now: float) -> float:
        if now < self._tidy_at:
            return self._tidy_at
        self._tidy_at = now + _HOUSEKEEPING
        for log in self._launch.services.log_folder.glob("*.log"):
            with suppress(OSError):
                cap(log)
        if not self._control.reachable():
            say("the socket's file is gone: ending, so that the next command can start anew")
            self._lost = True
        return self._tidy_at

    def _wait(self, wake: float) -> None:
        for key, _ in self._selector.select(max(_SHORTEST_WAIT, wake - time.monotonic())):
            key.data()
        if self._nursery.mend_leash():
            say("the leash was killed: started again")

    def _listen_to_signals(self) -> None:
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told_to_end)
        # Without a function of ours for it, the kernel would not tell of a child that ended.
        signal.signal(signal.SIGCHLD, self._told_of_an_end)
        self._selector.register(wake_read, selectors.EVENT_READ, lambda: os.read(wake_read, 4096))

    def _told_to_end(self, _number: int, _frame: FrameType | None) -> None:
        # The first signal ends things in order, a second one at once; the loop acts on the count.
        self._signals += 1

    def _told_of_an_end(self, _number: int, _frame: FrameType | None) -> None:
        """The loop is woken by the signal itself and then looks at every child."""


def say(text: str) -> None:
    """One line to the supervisor's log."""
    # A full disk must not end the services.
    with suppress(OSError):
        sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} supervisor {os.getpid()}: {text}\n")
        sys.stderr.flush()


def main() -> NoReturn:
    """Detach, hear what is wanted, and serve."""
    home, lock_fd = Path(sys.argv[1]), int(sys.argv[2])
    # The starting command waits for this first process, so it is never left with a dead child to look after.
    if os.fork():
        os._exit(0)
    os.umask(0o077)
    os.chdir(home)
    first = _standard_input()
    line, unread = _first_line(first)
    if line:
        Supervisor(Launch.from_json(line), first, unread, lock_fd).run()
    # Commands that wait for the end have just been told of it: no time for the interpreter's own farewell.
    os._exit(0)


def _standard_input() -> socket.socket:
    first = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return first


def _first_line(first: socket.socket) -> tuple[bytes, bytes]:
    first.settimeout(_TOLD_WITHIN)
    data = b""
    while b"\n" not in data:
        # The environment travels in this line, so it may be longer than any request.
        if not (more := first.recv(LONGEST_LINE)):
            return b"", b""
        data += more
    line, _, unread = data.partition(b"\n")
    return line, unread


if __name__ == "__main__":
    main()
