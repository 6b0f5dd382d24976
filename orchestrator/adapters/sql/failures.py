"""What a database's own errors mean: worth another try, or one clear line."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from orchestrator.errors import ConfigError, DefectError, RemitError, StoreError

_TRANSIENT_STATES = frozenset({"40001", "40P01", "55P03"})
"""PostgreSQL: serialization failure, deadlock, lock not available."""
GOING_AWAY = ("57P", "08")
"""PostgreSQL: the server is shut down or starting; the connection is lost."""

_MENDS = (
    (("SQLITE_BUSY",), "Another process is writing for too long; try again."),
    (("SQLITE_FULL",), "Make room on the disk."),
    # A full disk is told so too, where SQLite makes the files beside its own.
    (("SQLITE_IOERR",), "Check that the disk has room, and that the file and its folder may be read and written."),
    (
        ("SQLITE_NOTADB", "SQLITE_CORRUPT"),
        "The file is damaged or no database of Remit: take another file, or a backup.",
    ),
    (
        ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"),
        "Check that the file and its folder may be read and written.",
    ),
    (("53100",), "Make room on the disk of the database."),
    (("53300",), "Let the database take more connections, or start fewer workers."),
    (("42501",), "Give this user the rights it needs: its tables have to be its own."),
)

DATABASE_ERRORS = (SQLAlchemyError, sqlite3.Error)
"""What the databases raise; SQLite's driver is also spoken to without SQLAlchemy."""
DatabaseError = SQLAlchemyError | sqlite3.Error


def is_transient(error: SQLAlchemyError) -> bool:
    """True when the same transaction may go through a moment later; only asked before a commit was sent."""
    if not isinstance(error, DBAPIError):
        return False
    state = _state(error)
    if state is not None:
        return state in _TRANSIENT_STATES or state.startswith(GOING_AWAY)
    return error.connection_invalidated or is_busy(error) or _is_refused(error)


def is_busy(error: DatabaseError) -> bool:
    """SQLite: another process holds the write lock."""
    return _sqlite_name(error).startswith("SQLITE_BUSY")


def translated(error: DatabaseError, where: str) -> RemitError:
    """The error in our own words, one line."""
    if isinstance(error, PoolTimeoutError):
        return StoreError("no database connection became free in time", where=where, mend="Try again.")
    if isinstance(error, IntegrityError | sqlite3.IntegrityError):
        return DefectError(f"the database refused a row ({_line(error)})", where=where)
    if isinstance(error, DBAPIError | sqlite3.Error):
        return StoreError(f"the database did not do what was asked ({_line(error)})", where=where, mend=_mend(error))
    if isinstance(error, StatementError) and isinstance(error.orig, RemitError):
        return error.orig
    return DefectError(f"a statement is wrong ({_line(error)})", where=where)


@contextmanager
def plain_errors(where: str) -> Generator[None]:
    """Nothing of SQLAlchemy leaks out of this block."""
    try:
        yield
    except DATABASE_ERRORS as error:
        raise translated(error, where) from None


def unsupported(url: str) -> ConfigError:
    """The address names no database Remit works with."""
    return ConfigError(
        f"`{url}` is no database Remit can use",
        mend="Write sqlite:////absolute/path/remit.db or postgresql://user:password@host/database.",
    )


def _is_refused(error: DBAPIError) -> bool:
    """No connection was made, and quickly so: the server may be restarting."""
    return error.statement is None and type(error.orig).__name__ == "OperationalError"


def _state(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlstate", None)


def _cause(error: DatabaseError) -> BaseException:
    """The driver's own error."""
    return error.orig if isinstance(error, StatementError) and error.orig is not None else error


def _sqlite_name(error: DatabaseError) -> str:
    return getattr(_cause(error), "sqlite_errorname", "")


def _line(error: DatabaseError) -> str:
    cause = _cause(error)
    return " ".join(str(cause).split()) or type(cause).__name__


def _mend(error: DBAPIError | sqlite3.Error) -> str:
    """What to do about it, by the name that SQLite gives it or the state that PostgreSQL gives it."""
    name = _sqlite_name(error)
    state = _state(error) if isinstance(error, DBAPIError) else None
    known = (mend for names, mend in _MENDS if (name or state or "").startswith(names))
    return next(known, "Check that the database runs and can be reached.")
