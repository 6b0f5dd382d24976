"""An input's table as a DuckDB file: read, typed and profiled once for its content, whoever asks for it later."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
from python_calamine import CalamineWorkbook

from agents.errors import ToolError
from agents.tools.builtin.cache import cache_of, key_of, source_of
from agents.tools.builtin.tables.columns import typed_columns
from agents.tools.builtin.tables.profile import TableProfile, profile_of
from agents.tools.builtin.tables.reading import read_table
from agents.tools.builtin.tables.typed_table import store, table_of
from agents.tools.builtin.tables.workbook import is_workbook
from agents.tools.function import ToolContext
from orchestrator.errors import InputError

TABLE = "data"
"""The name of the one table in the file."""
_RESERVED = re.compile(
    "all|analyse|analyze|and|anti|any|array|as|asc|asof|asymmetric|at|authorization|binary|both|by|case|cast"
    "|check|collate|collation|column|columns|concurrently|constraint|create|cross|default|deferrable|desc"
    "|describe|distinct|do|else|end|except|false|fetch|for|foreign|freeze|from|full|generated|glob|group|having"
    "|ilike|in|initially|inner|intersect|into|is|isnull|join|lambda|lateral|leading|left|like|limit|map|natural"
    "|not|notnull|null|offset|on|only|or|order|outer|overlaps|pivot|pivot_longer|pivot_wider|placing|positional"
    "|primary|qualify|references|returning|right|select|semi|show|similar|some|struct|summarize|symmetric|table"
    "|tablesample|then|to|trailing|true|try_cast|tuple|union|unique|unpack|unpivot|using|variadic|verbose|when"
    "|where|window|with",
    re.IGNORECASE,
)
"""Words of SQL that need quotes when they are names, `left` and `right` among them."""
_HEAD = 8


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of the run: where it is stored, and what an agent has to know of it."""

    input: str
    sheet: str | None
    """None: the first sheet with data, or no workbook."""
    path: Path
    filename: str
    rows: int
    columns: tuple[tuple[str, str], ...]
    """Name and SQL type of each."""
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """As SQL is to call it."""
        return spelled(self.input) if self.sheet is None else f"{spelled(self.input)}.{spelled(self.sheet)}"

    def told(self) -> str:
        """For hints: the columns with their types."""
        return f"{self.name}: " + ", ".join(f"{spelled(name)} {kind}" for name, kind in self.columns)


def stored_table(context: ToolContext, name: str, sheet: str | None = None) -> StoredTable:
    """The table of an input, or of one sheet of it. Raises ToolError."""
    path, filename = _kept(context, name, sheet)
    with duckdb.connect(path, read_only=True, config={"threads": 1}) as connection:
        row = connection.execute("SELECT notes, (SELECT count(*) FROM data) FROM about").fetchone()
        columns = connection.execute("SELECT * FROM data LIMIT 0").description or ()
    assert row is not None
    typed = tuple((str(one[0]), str(one[1])) for one in columns)
    return StoredTable(name, sheet, path, filename, int(row[1]), typed, tuple(json.loads(row[0])))


def stored_profile(context: ToolContext, name: str, sheet: str | None = None) -> TableProfile:
    """The profile of the table of an input, or of one sheet of it: kept with the table. Raises ToolError."""
    path, _ = _kept(context, name, sheet)
    with duckdb.connect(path, read_only=True, config={"threads": 1}) as connection:
        row = connection.execute("SELECT profile FROM about").fetchone()
    assert row is not None
    return TableProfile.model_validate_json(row[0])


def sheets_of(path: Path) -> Sequence[str]:
    """The names of the sheets of a workbook; none of another file, or of a damaged one."""
    with path.open("rb") as file:
        if not is_workbook(file.read(_HEAD)):
            return ()
    try:
        return CalamineWorkbook.from_path(str(path)).sheet_names
    except BaseException as error:
        # A panic of the reader's Rust code derives from BaseException; reading the table will say what is wrong.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        return ()


def spelled(name: str) -> str:
    """A name as SQL takes it, with quotes only where it needs them."""
    plain = name.isascii() and name.isidentifier() and not _RESERVED.fullmatch(name)
    return name if plain else '"' + name.replace('"', '""') + '"'


def unusable(error: InputError) -> ToolError:
    """What an agent reads when an input cannot be read as a table."""
    what = f"{error.where}: {error.what}" if error.where else error.what
    return ToolError("unusable_input", what, hint=error.mend)


def _kept(context: ToolContext, name: str, sheet: str | None) -> tuple[Path, str]:
    """The file of a table, read now if nobody did before, and what people call the table."""
    source = context.input(name)
    filename = context.input_names().get(name, name)
    key = key_of("table", source_of(Path(__file__).parent), source, filename, sheet or "")
    return cache_of(context).file(f"{key}.duckdb", lambda new: _write(new, source, filename, sheet)), filename


def _write(path: Path, source: Path, filename: str, sheet: str | None) -> None:
    try:
        grid = read_table(source, name=filename, sheet=sheet)
    except InputError as error:
        raise unusable(error) from error
    columns = typed_columns(grid)
    table = table_of(grid, columns)
    about = [json.dumps(table.notes), profile_of(grid, columns).model_dump_json()]
    with duckdb.connect(path, config={"threads": 1}) as connection:
        store(connection, TABLE, table)
        connection.execute("CREATE TABLE about AS SELECT $1 AS notes, $2 AS profile", about)
