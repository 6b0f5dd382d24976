"""Telling that memory ran out, from exceptions and from deaths."""

import errno
import signal

import pytest

from agents.errors import ToolError
from agents.isolation.memory import MEMORY_EXIT, Ended, died_of_memory, is_memory

LIMIT = 1_000


class OutOfMemoryException(Exception):  # noqa: N818  # DuckDB's own name for it
    """As DuckDB raises it."""


def caused(error: Exception, cause: BaseException) -> Exception:
    """An error that was raised from another."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (MemoryError(), True),
        (OutOfMemoryException("failed to allocate data"), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("can't start new thread"), True),
        (ValueError("std::bad_alloc"), True),
        (caused(ToolError("tool_failed", "it failed"), MemoryError()), True),
        (ValueError("no column `memory`"), False),
        (OSError(errno.ENOENT, "No such file"), False),
    ],
)
def test_reads_it_from_an_exception(error: BaseException, memory: bool) -> None:
    """By its kind, its number or its words, its cause included."""
    assert is_memory(error) is memory


@pytest.mark.parametrize(
    ("status", "peak", "output", "memory"),
    [
        (signal.SIGSEGV, 900, "", True),
        (signal.SIGABRT, 900, "", True),
        (signal.SIGABRT, 10, "terminate called after throwing an instance of 'std::bad_alloc'", True),
        (signal.SIGABRT, 10, "memory allocation of 8192 bytes failed", True),
        (signal.SIGSEGV, 10, "", False),
        (signal.SIGKILL, 300, "", True),
        (signal.SIGKILL, 10, "", False),
        (signal.SIGTERM, 900, "", False),
        (MEMORY_EXIT << 8, 10, "", True),
        (1 << 8, 900, "MemoryError", False),
        (0, 900, "", False),
    ],
)
def test_reads_it_from_a_death(status: int, peak: int, output: str, memory: bool) -> None:
    """A crash near the limit, or one that says so in its last words; an ordinary exit never."""
    assert died_of_memory(Ended(status, peak), LIMIT, output) is memory


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (signal.SIGSEGV, "was ended by SIGSEGV"),
        (signal.SIGRTMIN + 1, f"was ended by signal {signal.SIGRTMIN + 1}"),
        (3 << 8, "ended itself with exit code 3"),
    ],
)
def test_tells_how_a_child_ended(status: int, told: str) -> None:
    """In words that an agent and a person can read."""
    assert Ended(status, 0).told() == told
