"""Says what is wrong with a query as an agent can mend it: DuckDB's message in one line, and the columns there are."""

import re
from collections.abc import Sequence

import duckdb

from agents.errors import ToolError
from agents.tools.builtin.tables.stored import StoredTable, spelled

_MOST_SAID = 500
_MOST_HINTED = 1_500
_PLACE = re.compile(r"\n+(?P<head>LINE \d+: )(?P<line>[^\n]*)\n(?P<marks> *\^?)")
_OWN_TABLES = re.compile(r"\n*Did you mean \"(?:pg_|duckdb_|sqlite_|information_)[^\n]*")
"""DuckDB guesses at its own tables, which are no tables of the run."""
_EXTENSIONS = re.compile(r", but it exists in the .*", re.DOTALL)
"""How DuckDB goes on to say which extension to load; none can be."""
_CASTS = "Compare like with like: CAST(x AS DATE), TRY_CAST(x AS DECIMAL(38,2)), strftime(x, '%Y-%m')."


def fault(error: Exception, tables: Sequence[StoredTable], inputs: Sequence[str]) -> ToolError:
    """The error of a query that failed. `tables` are those it mentions, `inputs` all there are."""
    if isinstance(error, duckdb.InterruptException):
        hint = "Filter before joining, join on more columns, or ask for less; a join without a condition multiplies."
        return ToolError("timeout", "the query took too long and was stopped", hint=hint)
    if isinstance(error, duckdb.OutOfMemoryException):
        hint = "Filter before joining, group, or select fewer columns. The same query fails again."
        return ToolError("out_of_memory", "the query needed more memory than it may use", hint=hint)
    if isinstance(error, duckdb.PermissionException):
        hint = f"The tables are: {listed(inputs)}."
        return ToolError("no_access", "queries reach no files and no network, only the run's inputs", hint=hint)
    return ToolError("sql_error", _said(error), hint=_hint(error, tables, inputs))


def _said(error: Exception) -> str:
    """The message without its drawing: `… (at: amout FROM bank)`."""
    text = str(error)
    place = _PLACE.search(text)
    text = _OWN_TABLES.sub("", text[: place.start()] if place else text).partition("Candidate functions:")[0]
    text = _EXTENSIONS.sub(", and no extensions can be loaded.", text)
    said = " ".join(text.split())[:_MOST_SAID]
    if place is None:
        return said
    start = max(0, len(place["marks"]) - 1 - len(place["head"]))
    at = place["line"][start : start + 60].strip()
    return f"{said} (at: {at})" if at else said


def _hint(error: Exception, tables: Sequence[StoredTable], inputs: Sequence[str]) -> str:
    if isinstance(error, duckdb.CatalogException) and "Table with name" in str(error):
        return f"The tables are: {listed(inputs)}."
    columns = "; ".join(table.told() for table in tables)[:_MOST_HINTED]
    if not columns:
        return f"The tables are: {listed(inputs)}."
    words = [name for name in map(spelled, inputs) if name.startswith('"')]
    if isinstance(error, duckdb.ParserException) and words:
        return f"Write with their quotes: {', '.join(words)}. {columns}."
    if isinstance(error, duckdb.ConversionException) or "Cannot compare" in str(error) or "No function" in str(error):
        return f"{_CASTS} {columns}."
    return f"{columns}."


def listed(inputs: Sequence[str]) -> str:
    """The names of the tables, as SQL takes them."""
    return ", ".join(map(spelled, inputs)) or "none, the goal has no inputs"
