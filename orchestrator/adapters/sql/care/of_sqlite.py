"""What only SQLite needs: its pages checked, its file made small again, a copy of it while others write."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, text

from orchestrator.adapters.sql.failures import plain_errors
from orchestrator.adapters.sql.sqlite import SqliteDatabase
from orchestrator.errors import InputError, StoreError
from orchestrator.ports.clock import Deadline

MOST_FAULTS = 20
PATIENCE_SECONDS = 60.0
"""How long a backup tries to begin while another process holds the whole file."""


def broken_pages(connection: Connection) -> Iterator[str]:
    """What SQLite's own check of every page and every index finds."""
    for said in connection.scalars(text(f"PRAGMA integrity_check({MOST_FAULTS})")):
        if said != "ok":
            yield "SQLite says: " + " ".join(said.split())


def tidy(database: SqliteDatabase) -> tuple[int, int]:
    """Write the file anew without its holes; what is written meanwhile waits. The bytes before and after."""
    before = size(database.where)
    with plain_errors(database.where), database.writing.connect() as connection:
        connection.exec_driver_sql("PRAGMA optimize")
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()
    return before, size(database.where)


def back_up(where: str, file: Path) -> int:
    """Copy the database as it is at this moment; nobody who writes is held up. The copy's bytes."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        _must_be_new(file)
        unfinished.unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))  # SQLite would let all read it
    except OSError as error:
        raise _not_made(file, error) from None
    try:
        _copy(where, unfinished)
        os.link(unfinished, file)  # unlike a rename, never over a file that came meanwhile
        _sync(file.parent)
        return file.stat().st_size
    except FileExistsError:
        raise _there_already(file) from None
    except sqlite3.Error as error:
        damaged = getattr(error, "sqlite_errorname", "") in {"SQLITE_CORRUPT", "SQLITE_NOTADB"}
        mend = "Look with `remit db check`." if damaged else "Check room and rights."
        raise StoreError(f"the backup was not made ({error})", where=where, mend=mend) from None
    except OSError as error:
        raise _not_made(file, error) from None
    finally:
        unfinished.unlink(missing_ok=True)


def _must_be_new(file: Path) -> None:
    if file.is_dir():
        raise InputError("this is a folder, a file is wanted", where=str(file), mend="Name a new file in it.")
    if file.exists():
        raise _there_already(file)
    if not file.parent.is_dir():
        raise InputError("there is no such folder", where=str(file.parent), mend="Make it first.")


def _there_already(file: Path) -> InputError:
    return InputError("there is such a file already", where=str(file), mend="Name another one.")


def _not_made(file: Path, error: OSError) -> InputError:
    what = f"the file cannot be made ({error.strerror})"
    return InputError(what, where=str(file), mend="Name a file in a folder that you can write to.")


def _copy(where: str, target: Path) -> None:
    deadline = Deadline.after(PATIENCE_SECONDS)

    def still_patient(status: int, remaining: int, total: int) -> None:
        del remaining, total
        if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} and deadline.passed():
            raise StoreError("another process holds the whole file", where=where, mend="Try again when it is done.")

    with (
        closing(sqlite3.connect(f"file:{quote(where)}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        # All pages in one go: a copy in pieces would begin anew whenever somebody writes in between.
        source.backup(copy, pages=-1, progress=still_patient)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, whole by itself
        found = copy.execute("PRAGMA quick_check(1)").fetchone()
        if found != ("ok",):
            raise StoreError("the copy is damaged, as the database seems to be", where=where, mend="Check it first.")
    with target.open("rb") as written:
        os.fsync(written.fileno())


def size(where: str) -> int:
    """The bytes of the file and of what stands beside it, not yet written into it."""
    files = (Path(where), Path(f"{where}-wal"))
    return sum(path.stat().st_size for path in files if path.exists())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
