"""How a command comes to a supervisor: it joins the one that runs, or starts one, and only one of many does."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from orchestrator.errors import ServiceError
from orchestrator.ports.clock import Deadline
from workers.embedded.folder import socket_folder
from workers.embedded.link import Link, LinkClosedError
from workers.embedded.locks import try_lock
from workers.embedded.logs import last_line, open_log, size_of
from workers.embedded.protocol import ProtocolError, Reply
from workers.embedded.record import read_record
from workers.embedded.spec import Launch, Services
from workers.embedded.valkey import find_server

_LOOK_AGAIN = 0.01
_LAST_STEPS = 30.0
"""Beyond a worker's grace: what an earlier supervisor may need to end the leases of its workers, and itself."""


def connect(services: Services, limit: float) -> tuple[Link, Reply]:
    """A connection to the supervisor of this home, whose broker answers. Raises ServiceError.

    `limit` is for what this command starts; an earlier supervisor that is just ending is waited for beside that.
    """
    try:
        return _connect(services, limit)
    except OSError as error:
        raise ServiceError(
            f"a file of the services cannot be used: {error.strerror}",
            where=str(error.filename or services.home),
            mend="Set REMIT_HOME to a folder of your own that you can write to.",
        ) from None


def _connect(services: Services, limit: float) -> tuple[Link, Reply]:
    for folder in (services.home, services.run_folder, services.log_folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    patience = Deadline.after(limit + services.grace + _LAST_STEPS)
    while not patience.passed():
        if joined := _join(services, limit):
            return joined
        # Whoever gets the lock hands it to the supervisor it starts; all others find that one in the next round.
        lock = try_lock(services.run_folder / "supervisor.lock")
        if lock is not None:
            return _start(services, lock, limit)
        time.sleep(_LOOK_AGAIN)
    raise _stuck(services)


def _join(services: Services, limit: float) -> tuple[Link, Reply] | None:
    """None when no supervisor runs, or it is ending."""
    record = read_record(services.run_folder)
    if record is None or (link := Link.to(record.control_socket)) is None:
        return None
    try:
        reply = link.ask("hello", Deadline.after(limit), services.watched_values())
    except LinkClosedError:
        link.close()
        return None
    except TimeoutError:
        link.close()
        raise _stuck(services) from None
    except ProtocolError as error:
        link.close()
        raise _foreign(services, error) from None
    except BaseException:
        link.close()
        raise
    return link, reply


def _start(services: Services, lock: int, limit: float) -> tuple[Link, Reply]:
    log = services.log_folder / "supervisor.log"
    log_start = size_of(log)
    try:
        sockets = socket_folder(services.home, services.runtime_dir)
        launch = Launch(services, find_server(services.env.get("PATH")), sockets)
        link, process = _spawn(launch, lock, log)
    finally:
        # The supervisor has its own copy, and the lock with it.
        os.close(lock)
    deadline = Deadline.after(limit)
    try:
        link.send(launch.to_json().encode() + b"\n", deadline)
        # The first process only makes the supervisor, which goes on without a parent.
        process.wait(deadline.left())
        return link, link.ask("hello", deadline, services.watched_values())
    except (LinkClosedError, TimeoutError, subprocess.TimeoutExpired) as error:
        link.close()
        raise _did_not_start(services, log, log_start, limit, error) from None
    except BaseException:
        link.close()
        raise


def _spawn(launch: Launch, lock: int, log: Path) -> tuple[Link, "subprocess.Popen[bytes]"]:
    log_fd = open_log(log)
    ours, theirs = socket.socketpair()
    try:
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "workers.embedded.supervisor", str(launch.services.home), str(lock)],
            env=launch.services.env,
            stdin=theirs.fileno(),
            stdout=log_fd,
            stderr=log_fd,
            pass_fds=(lock,),
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
        os.close(log_fd)
    return Link(ours), process


def _did_not_start(services: Services, log: Path, log_start: int, limit: float, error: Exception) -> ServiceError:
    if isinstance(error, LinkClosedError):
        line = last_line(log, log_start)
        return ServiceError(f"the services' supervisor ended at its start: {line or 'it left no word'}", where=str(log))
    broker_log = services.log_folder / "valkey.log"
    line = last_line(broker_log) or last_line(log, log_start) or "nothing is in its log"
    return ServiceError(f"Valkey did not answer within {limit:g} s: {line}", where=str(broker_log))


def _stuck(services: Services) -> ServiceError:
    record = read_record(services.run_folder)
    who = f"kill {record.pid}" if record else "the process that holds it"
    return ServiceError(
        "the services of this home run, but their supervisor does not answer",
        where=str(services.run_folder / "supervisor.lock"),
        mend=f"End it (`{who}`) and try again." if record else f"End {who} and try again.",
    )


def _foreign(services: Services, error: ProtocolError) -> ServiceError:
    return ServiceError(
        f"the services that run were started by another version of Remit ({error})",
        where=str(services.home),
        mend="End the command that holds them and try again.",
    )
