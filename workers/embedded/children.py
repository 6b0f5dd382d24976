"""Starting a process that cannot outlive the supervisor, ending it, and saying how it ended."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.embedded.leash import Leash, kill_group
from workers.embedded.logs import open_log, size_of

_PR_SET_PDEATHSIG = 1
_EXIT_ORPHAN = 125


@dataclass(frozen=True, slots=True)
class Child:
    """One running process, the leader of its own process group."""

    process: subprocess.Popen[bytes]
    started: float
    log: Path
    log_start: int
    """Size of the log when the process started: what follows is its own."""

    @property
    def pid(self) -> int:
        """Process id, also the id of its group."""
        return self.process.pid

    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self.process.poll()

    def tell_to_stop(self) -> None:
        """SIGTERM to the process alone: it decides about its own children."""
        self.process.terminate()

    def kill(self) -> None:
        """SIGKILL to it and to all it started."""
        kill_group(self.pid)


class Nursery:
    """Starts children and buries them; the caller must have one thread."""

    def __init__(self, lock_fd: int) -> None:
        self._lock_fd = lock_fd
        self._leash = Leash(lock_fd)
        self._parent = os.getpid()
        self._die_with_parent = _parent_death_signal()
        self._groups: set[int] = set()

    def start(
        self, argv: Sequence[str], env: Mapping[str, str], log: Path, now: float, pass_fds: tuple[int, ...] = ()
    ) -> Child:
        """Start the command with its output appended to `log`. Raises OSError when it cannot be started."""
        log_fd = open_log(log)
        try:
            log_start = size_of(log)
            process = subprocess.Popen(  # noqa: S603 - the command is the caller's own
                argv,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log_fd,
                stderr=log_fd,
                pass_fds=pass_fds,
                process_group=0,
                preexec_fn=self._before_exec,  # noqa: PLW1509 - safe here: the supervisor has one thread
            )
        except subprocess.SubprocessError as error:
            raise OSError(f"{argv[0]} could not be started: {error}") from None
        finally:
            os.close(log_fd)
        self._groups.add(process.pid)
        return Child(process, now, log, log_start)

    def bury(self, child: Child) -> None:
        """The child has ended: end what it left behind."""
        child.kill()
        self._groups.discard(child.pid)
        self._leash.forget(child.pid)

    def mend_leash(self) -> bool:
        """Start the leash again if somebody killed it; True if so."""
        if not self._leash.broken():
            return False
        self._leash.drop()
        self._leash = Leash(self._lock_fd, self._groups)
        return True

    def close(self) -> None:
        """End all that is left."""
        self._leash.close()

    def _before_exec(self) -> None:
        if self._die_with_parent is not None:
            self._die_with_parent()
        self._leash.add_me()
        # The signal is not sent for a parent that died before it was asked for.
        if os.getppid() != self._parent:
            os._exit(_EXIT_ORPHAN)


def _parent_death_signal() -> Callable[[], object] | None:
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is None:
        return None
    return lambda: prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def how_it_ended(code: int) -> str:
    """`exit code 3` or `killed by SIGKILL`."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
