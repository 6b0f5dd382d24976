"""Tells whether a child ran out of memory: from an exception, or from how its process ended."""

import errno
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass

MEMORY_EXIT = 77
"""The exit code of a child that had not even the memory to say so."""

_WORDS = re.compile(
    r"bad_alloc|out of memory|cannot allocate memory|memory allocation of \d+ bytes failed|can't start new thread"
    r"|memoryerror|resource temporarily unavailable",
    re.IGNORECASE,
)
_ABRUPT = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its raw wait status and the most memory it held, in bytes."""

    status: int
    peak: int

    @property
    def signal(self) -> int | None:
        """The signal that ended it, if one did."""
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None

    def told(self) -> str:
        """For people: `was ended by SIGSEGV`, `ended itself with exit code 3`."""
        if self.signal is None:
            return f"ended itself with exit code {os.waitstatus_to_exitcode(self.status)}"
        return f"was ended by {_signal_name(self.signal)}"


def is_memory(error: BaseException) -> bool:
    """True when an exception, or one that it was raised from, says that memory ran out."""
    return any(
        isinstance(one, MemoryError)
        or "OutOfMemory" in type(one).__name__
        or (isinstance(one, OSError) and one.errno == errno.ENOMEM)
        or _WORDS.search(str(one)) is not None
        for one in _chain(error)
    )


def died_of_memory(ended: Ended, limit: int, output: str) -> bool:
    """True when a child that ended without a result most likely ran out of memory.

    Native code aborts or follows a null pointer when it gets none; the kernel kills when the machine has none.
    """
    if ended.signal is None:
        return os.waitstatus_to_exitcode(ended.status) == MEMORY_EXIT
    if ended.signal == signal.SIGKILL:
        return ended.peak > limit / 4
    return ended.signal in _ABRUPT and (ended.peak > limit / 2 or _WORDS.search(output) is not None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__ or seen.__context__


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
