"""SQL over the run's tables: a DuckDB that can reach nothing but them, with limits of memory, time and rows."""

import contextlib
import math
import os
import re
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import duckdb
from duckdb import DuckDBPyConnection, StatementType

from agents.errors import ToolError
from agents.tools.builtin.tables.sql_faults import fault
from agents.tools.builtin.tables.stored import TABLE, StoredTable, sheets_of, stored_table
from agents.tools.builtin.tables.typed_table import quoted
from agents.tools.function import ToolContext
from orchestrator.ports.clock import Deadline

MEMORY = "1GB"
_READS = frozenset({StatementType.SELECT, StatementType.EXPLAIN, StatementType.MULTI})
"""MULTI is what PIVOT is cut into."""
_EARLY = 1.0
"""Seconds before the deadline at which a query is stopped: time to say so."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query returned; `total` is how many rows there are beyond those returned, if it could be counted."""

    columns: tuple[tuple[str, str], ...]
    rows: list[dict[str, Any]]
    complete: bool
    total: int | None
    tables: tuple[StoredTable, ...]


def ask(context: ToolContext, sql: str, most: int) -> Answer:
    """Run one query over the inputs it mentions. Raises ToolError."""
    tables = _mentioned(context, sql)
    known = tuple(context.input_names())
    with _opened(tables) as connection, _stopped_at(connection, context.deadline):
        try:
            _check_reads(connection, sql)
            connection.execute(sql)
            columns = _columns(connection)
            rows = connection.fetchmany(most + 1)
            complete = len(rows) <= most
            total = len(rows) if complete else _counted(connection, sql)
        except (duckdb.Error, ValueError, OverflowError) as error:
            raise fault(error, tables, known) from error
    named = [dict(zip((name for name, _ in columns), map(_plain, row), strict=True)) for row in rows[:most]]
    return Answer(columns, named, complete, total, tables)


def _mentioned(context: ToolContext, sql: str) -> tuple[StoredTable, ...]:
    """The tables whose names occur in the query: inputs, and `input."sheet"`."""
    found: list[StoredTable] = []
    for name in context.input_names():
        if not re.search(_pattern(name), sql, re.IGNORECASE):
            continue
        sheets = [one for one in sheets_of(context.input(name)) if _names_sheet(name, one, sql)]
        found += (stored_table(context, name, sheet) for sheet in sheets)
        if not sheets or re.search(rf"{_pattern(name)}(?!\s*\.)", sql, re.IGNORECASE):
            found.append(stored_table(context, name))
    return tuple(found)


def _pattern(name: str) -> str:
    """The name as SQL may spell it: in quotes or not, with `_` for the `-` that would need quotes."""
    return rf"""(?<![\w"-])"?(?:{re.escape(name)}|{re.escape(_alias(name))})"?(?![\w-])"""


def _names_sheet(name: str, sheet: str, sql: str) -> bool:
    written = re.escape(sheet.replace('"', '""'))
    return re.search(rf"""{_pattern(name)}\s*\.\s*"?{written}(?![\w-])""", sql, re.IGNORECASE) is not None


def _alias(name: str) -> str:
    return name.replace("-", "_")


@contextmanager
def _opened(tables: Sequence[StoredTable]) -> Generator[DuckDBPyConnection]:
    config: dict[str, Any] = {
        "threads": max(1, min(4, os.cpu_count() or 1)),
        "memory_limit": MEMORY,
        "temp_directory": "",
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        for number, table in enumerate(tables):
            path = str(table.path).replace("'", "''")
            connection.execute(f"ATTACH '{path}' AS stored_{number} (READ_ONLY)")
            for name in _names(table, tables):
                view = quoted(name) if table.sheet is None else f"{quoted(name)}.{quoted(table.sheet)}"
                if table.sheet is not None:
                    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(name)}")
                source = f"stored_{number}.main.{TABLE}"
                connection.execute(f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM {source}")  # noqa: S608  # quoted
        # From here on nothing but what is attached can be read, and no setting can be changed back.
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def _names(table: StoredTable, tables: Sequence[StoredTable]) -> list[str]:
    """How the input may be called; the alias of a name with a `-`, where no other table has that name."""
    names = [table.input]
    if _alias(table.input).casefold() not in {one.input.casefold() for one in tables}:
        names.append(_alias(table.input))
    return names


@contextmanager
def _stopped_at(connection: DuckDBPyConnection, deadline: Deadline) -> Generator[None]:
    timer = threading.Timer(max(0.0, deadline.left() - _EARLY), connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _check_reads(connection: DuckDBPyConnection, sql: str) -> None:
    statements = connection.extract_statements(sql)
    if not statements:
        raise ToolError("sql_error", "there is no query in it", hint="Write one SELECT.")
    if len(statements) > 1:
        what = f"one query is wanted, not {len(statements)}"
        raise ToolError("not_one_query", what, hint="Join or combine them with UNION ALL, or call once for each.")
    if statements[0].type not in _READS:
        what = f"this is a {statements[0].type.name} statement, and tables can only be read"
        raise ToolError("not_read_only", what, hint="Ask with SELECT; WITH, PIVOT, DESCRIBE and SUMMARIZE work too.")


def _columns(connection: DuckDBPyConnection) -> tuple[tuple[str, str], ...]:
    """Names and types; a name that comes twice gets a number."""
    names: dict[str, str] = {}
    for one in connection.description or ():
        name, count = str(one[0]), 1
        while name in names:
            count += 1
            name = f"{one[0]}_{count}"
        names[name] = str(one[1])
    return tuple(names.items())


def _counted(connection: DuckDBPyConnection, sql: str) -> int | None:
    """How many rows there are in all; None for what cannot stand in a subquery."""
    counting = f"SELECT count(*) FROM (\n{sql.strip().rstrip(';')}\n)"  # noqa: S608  # the agent's own query again
    with contextlib.suppress(duckdb.ParserException, duckdb.BinderException):
        row = connection.execute(counting).fetchone()
        return int(row[0]) if row else None
    return None


def _plain(value: object) -> Any:
    """A value as an observation can hold it; the rest (decimals, dates) is written as text when it is stored."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, bytes | bytearray):
        return bytes(value).hex()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in cast("Sequence[object]", value)]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in cast("Mapping[object, object]", value).items()}
    return value
