"""SQL over the run's tables: exact, typed in any locale, sealed off, and its errors can be mended."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from agents.content import dumps, plain
from agents.errors import ToolError
from agents.isolation import Isolation
from agents.tools.builtin.tables.query import query
from agents.tools.builtin.tables.stored import spelled
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext
from orchestrator.ports.clock import Deadline

BANK = """Buchungstag;Text;Betrag
02.03.2026;Acme Tooling;1.200,50
04.03.2026;Kestrel 上海贸易;-291,00
05.03.2026;Société Lumière;3.127,40
09.03.2026;Delmar;10,00
10.03.2026;Ohne Betrag;
Summe;;4.046,90
"""
LEDGER = "id,amount,currency\n1,1200.50,EUR\n2,-291.00,EUR\n3,3127.41,EUR\n"

Ask = Callable[..., ToolResult]


@pytest.fixture
def context(tmp_path: Path) -> LocalContext:
    """A German bank statement and an English ledger."""
    (tmp_path / "bank.csv").write_text(BANK, "utf-8")
    (tmp_path / "ledger.csv").write_text(LEDGER, "utf-8")
    inputs = {"bank": tmp_path / "bank.csv", "led-ger": tmp_path / "ledger.csv"}
    return LocalContext(inputs=inputs, settings={"cache": str(tmp_path / "cache")})


@pytest.fixture
def asked(context: LocalContext) -> Ask:
    """Ask the tables."""

    def run(sql: str, **arguments: Any) -> ToolResult:
        result = query.run(query.arguments(sql=sql, **arguments), context)
        assert isinstance(result, ToolResult)
        return result

    return run


@pytest.fixture
def refused(asked: Ask) -> Callable[[str], ToolError]:
    """Ask what cannot be answered."""

    def run(sql: str) -> ToolError:
        with pytest.raises(ToolError) as caught:
            asked(sql)
        return caught.value

    return run


def test_types_a_table_of_another_locale(asked: Ask) -> None:
    """Numbers are decimals, dates are dates, blanks are NULL, and the total row is no data."""
    rows = asked("SELECT * FROM bank").data["rows"]
    assert rows[1] == {
        "_row": 2,
        "Buchungstag": date(2026, 3, 4),
        "Text": "Kestrel 上海贸易",
        "Betrag": Decimal("-291.00"),
    }
    assert [row["Betrag"] for row in rows][-1] is None
    assert len(rows) == 5


def test_sums_are_exact_and_become_text(asked: Ask) -> None:
    """To the cent; what is stored writes decimals and dates as text."""
    result = asked("SELECT max(Buchungstag) AS day, sum(Betrag) AS total FROM bank")
    assert json.loads(dumps(plain(result.data)))["rows"] == [{"day": "2026-03-10", "total": "4046.90"}]
    assert result.summary == "day = 2026-03-10; total = 4046.90"


def test_says_what_is_not_exact(asked: Ask) -> None:
    """A division is a floating-point number, and the notes say so."""
    result = asked("SELECT avg(Betrag) AS mean FROM bank")
    assert result.data["columns"] == [{"name": "mean", "type": "DOUBLE"}]
    assert "mean: floating-point, rounded in the last digits." in result.data["notes"]


@pytest.mark.parametrize("name", ['"led-ger"', "led_ger", '"LED-GER"', "Led_Ger"])
def test_joins_inputs_by_their_names(asked: Ask, name: str) -> None:
    """A name that needs quotes may be written with `_`."""
    sql = f"SELECT b.Text FROM bank b JOIN {name} l ON b._row = l.id WHERE b.Betrag <> l.amount"
    result = asked(sql)
    assert result.data["rows"] == [{"Text": "Société Lumière"}]
    assert [(one["name"], one["rows"]) for one in result.data["tables"]] == [("bank", 5), ('"led-ger"', 3)]


def test_names_that_are_words_of_sql(context: LocalContext) -> None:
    """In quotes they are tables; without, the error says so."""
    both = LocalContext(
        inputs={"left": context.inputs["bank"], "right": context.inputs["led-ger"]}, settings=context.settings
    )
    sql = 'SELECT count(*) AS n FROM "left" a JOIN "right" b ON a._row = b.id'
    result = query.run(query.arguments(sql=sql), both)
    assert isinstance(result, ToolResult)
    assert result.data["rows"] == [{"n": 3}]
    with pytest.raises(ToolError) as caught:
        query.run(query.arguments(sql=sql.replace('"', "")), both)
    assert str(caught.value.mend).startswith('Write with their quotes: "left", "right". "left": _row INTEGER')


def test_every_word_of_sql_is_quoted() -> None:
    """As this version of DuckDB knows them; other names are left alone."""
    with duckdb.connect() as connection:
        rows = connection.execute("SELECT keyword_name, keyword_category FROM duckdb_keywords()").fetchall()
    reserved = {word for word, category in rows if category in {"reserved", "type_function"}}
    assert {word for word, _ in rows if spelled(word) != word} == reserved
    assert [spelled(name) for name in ("Betrag", "led-ger", 'a"b', "Größe", "2x")] == [
        "Betrag",
        '"led-ger"',
        '"a""b"',
        '"Größe"',
        '"2x"',
    ]


def test_columns_of_one_name_are_kept_apart(asked: Ask) -> None:
    """Both columns of a join are there."""
    assert asked("SELECT 1 AS x, 2 AS x, 3 AS x").data["rows"] == [{"x": 1, "x_2": 2, "x_3": 3}]


def test_a_long_result_is_counted(asked: Ask) -> None:
    """The first rows come back, and how many there are."""
    result = asked("SELECT * FROM range(12345);", limit=7)
    assert [row["range"] for row in result.data["rows"]] == [0, 1, 2, 3, 4, 5, 6]
    assert result.data["total_rows"] == 12_345
    assert result.summary.startswith("The first 7 of 12,345 rows: range.")


def test_nothing_found_says_what_to_try(asked: Ask) -> None:
    """No row is no error."""
    result = asked("SELECT * FROM bank WHERE Text = 'acme tooling'")
    assert result.empty
    assert "ILIKE" in result.summary
    assert "SELECT DISTINCT" in result.summary


def test_a_list_of_the_tables_names_them(asked: Ask) -> None:
    """Only tables that a query names are opened, so DuckDB itself would list none."""
    result = asked("SHOW TABLES")
    assert result.empty
    assert result.summary == 'The query returned no row, and names no table. The tables are: bank, "led-ger".'


@pytest.mark.parametrize(
    "sql", ["WITH b AS (FROM bank) SELECT count(*) AS n FROM b", "SELECT count(*) AS n FROM bank -- all;", "TABLE bank"]
)
def test_every_way_of_reading(asked: Ask, sql: str) -> None:
    """CTEs, comments, short forms."""
    assert asked(sql).data["rows"][0].get("n", 5) == 5


def test_pivots_and_summaries(asked: Ask) -> None:
    """What DuckDB adds to SQL."""
    assert asked("PIVOT led_ger ON currency USING sum(amount) GROUP BY id").data["rows"][0]["EUR"] == Decimal("1200.50")
    assert [row["column_name"] for row in asked("SUMMARIZE bank").data["rows"]][-1] == "Betrag"


@pytest.mark.parametrize(
    ("sql", "code", "what", "hint"),
    [
        ("SELECT Betrg FROM bank", "sql_error", 'Candidate bindings: "Betrag"', "bank: _row INTEGER, Buchungstag DATE"),
        ("SELECT * FROM banc", "sql_error", "Table with name banc does not exist", 'The tables are: bank, "led-ger".'),
        ("SELEC * FROM bank", "sql_error", "(at: SELEC * FROM bank)", "Betrag DECIMAL(18,2)"),
        ("SELECT sum(Text) FROM bank", "sql_error", "'sum(VARCHAR)'", "TRY_CAST(x AS DECIMAL(38,2))"),
        ("SELECT * FROM bank WHERE Buchungstag = 'soon'", "sql_error", "soon", "CAST(x AS DATE)"),
        ("SELECT 1; SELECT 2", "not_one_query", "not 2", "UNION ALL"),
        (" -- nothing", "sql_error", "there is no query in it", "SELECT"),
        ("DROP TABLE bank", "not_read_only", "DROP", "SELECT"),
        ("CREATE TABLE x (a INT)", "not_read_only", "CREATE", "SELECT"),
        ("SET memory_limit = '90GB'", "not_read_only", "SET", "SELECT"),
        ("ATTACH 'x.db'", "not_read_only", "ATTACH", "SELECT"),
        ("COPY bank TO 'x.csv'", "not_read_only", "COPY", "SELECT"),
        ("SELECT * FROM read_csv('x')", "no_access", "no files and no network", 'bank, "led-ger"'),
        ("INSTALL httpfs", "not_read_only", "LOAD", "SELECT"),
        ("FROM sqlite_scan('x', 'y')", "sql_error", "not in the catalog, and no extensions can be loaded.", "bank"),
    ],
)
def test_says_what_is_wrong_and_what_there_is(
    refused: Callable[[str], ToolError], sql: str, code: str, what: str, hint: str
) -> None:
    """One line each: the place, and the tables or columns to choose from."""
    error = refused(sql)
    assert error.code == code
    assert what in error.what
    assert hint in str(error.mend)
    assert "\n" not in f"{error.what}{error.mend}"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{path}')",
        "SELECT * FROM read_text('{path}')",
        "SELECT * FROM '{path}'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM read_parquet('https://example.com/x.parquet')",
        "SELECT * FROM context",
        "SELECT * FROM sqlite_scan('{path}', 'x')",
        "SELECT getenv('HOME')",
    ],
)
def test_reaches_nothing_but_the_inputs(
    refused: Callable[[str], ToolError], context: LocalContext, tmp_path: Path, sql: str
) -> None:
    """Not the input's own file by its path, no folder, no address, no variable of ours."""
    del context
    assert refused(sql.format(path=tmp_path / "bank.csv")).code in {"no_access", "sql_error"}


def test_values_that_json_does_not_know(asked: Ask) -> None:
    """Infinity, bytes, lists and large integers can be stored."""
    values = "'inf'::DOUBLE AS a, '\\xAA'::BLOB AS b, [1.5, NULL] AS c, {'k': DATE '2026-01-02'} AS d"
    row = plain(asked(f"SELECT {values}, {10**30}::HUGEINT AS e").data)["rows"][0]
    assert row == {"a": "inf", "b": "aa", "c": ["1.5", None], "d": {"k": "2026-01-02"}, "e": 10**30}


def test_a_query_without_end_is_stopped_in_time(context: LocalContext) -> None:
    """A little before the deadline, with advice."""
    hurried = LocalContext(inputs=context.inputs, settings=context.settings, deadline=Deadline.after(1.3))
    with pytest.raises(ToolError) as caught:
        query.run(query.arguments(sql="SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b"), hurried)
    assert caught.value.code == "timeout"
    assert not hurried.deadline.passed()


def test_too_much_for_the_memory_is_said(refused: Callable[[str], ToolError], monkeypatch: pytest.MonkeyPatch) -> None:
    """The database's own limit comes before the process's; nothing is written to a disk instead."""
    monkeypatch.setattr("agents.tools.builtin.tables.database.MEMORY", "40MB")
    error = refused("SELECT max(len(l)) FROM (SELECT list(repeat('x', 100) || range) AS l FROM range(3000000))")
    assert error.code == "out_of_memory"


def test_the_sheets_of_a_workbook_are_tables(tmp_path: Path) -> None:
    """The first with data by the input's name, each by its own."""
    book = openpyxl.Workbook()
    first = book.worksheets[0]
    first.title = "Januar"
    second = book.create_sheet("Q2 Zahlen")
    for sheet, amount in ((first, 1.25), (second, 7)):
        for row in (("Name", "Wert"), ("a", amount), ("b", 2)):
            sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    context = LocalContext(inputs={"book": tmp_path / "book.xlsx"}, settings={"cache": str(tmp_path / "cache")})
    sql = 'SELECT (SELECT sum(Wert) FROM book) AS a, (SELECT sum(Wert) FROM book."Q2 Zahlen") AS b'
    result = query.run(query.arguments(sql=sql), context)
    assert isinstance(result, ToolResult)
    assert result.data["rows"] == [{"a": Decimal("3.25"), "b": Decimal(9)}]


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + b"\0" * 64, b"PK\x03\x04 broken"])
def test_an_input_that_is_no_table(tmp_path: Path, content: bytes) -> None:
    """The error is the reader's, and names the file."""
    (tmp_path / "x.bin").write_bytes(content)
    context = LocalContext(inputs={"x": tmp_path / "x.bin"}, settings={"cache": str(tmp_path / "cache")})
    with pytest.raises(ToolError) as caught:
        query.run(query.arguments(sql="SELECT * FROM x"), context)
    assert caught.value.code == "unusable_input"
    assert "x.bin" in caught.value.what
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_typing_loses_is_kept_as_written(tmp_path: Path) -> None:
    """Cells that are no numbers, times of day, amounts in several currencies: a column beside has the text."""
    lines = ["when,price,count,Count"]
    lines += [
        f"2026-01-{day:02d} 10:{day:02d},{'USD' if day % 2 else 'EUR'} {day}.50,{day},x{day}" for day in range(1, 21)
    ]
    lines[5] = lines[5].replace(",5,x5", ",five,x5")
    (tmp_path / "t.csv").write_text("\n".join(lines), "utf-8")
    context = LocalContext(inputs={"t": tmp_path / "t.csv"}, settings={"cache": str(tmp_path / "cache")})
    result = query.run(query.arguments(sql="SELECT * FROM t WHERE _row = 5"), context)
    assert isinstance(result, ToolResult)
    assert result.data["rows"] == [
        {
            "_row": 5,
            "when": date(2026, 1, 5),
            "when (as written)": "2026-01-05 10:05",
            "price": Decimal("5.50"),
            "price (as written)": "USD 5.50",
            "count": None,
            "count (as written)": "five",
            "Count_2": "x5",
        }
    ]
    notes = " ".join(result.data["notes"])
    assert "its times of day are left out" in notes
    assert "in several currencies (EUR, USD)" in notes
    assert "1 cells are no numbers and NULL here, such as `five`" in notes


def test_a_table_is_read_once_for_its_content(asked: Ask, context: LocalContext, tmp_path: Path) -> None:
    """The second question finds it stored; other content is another table."""
    asked("SELECT * FROM bank")
    stored = list((tmp_path / "cache").iterdir())
    asked("SELECT 1 FROM bank")
    assert list((tmp_path / "cache").iterdir()) == stored
    context.inputs["bank"].write_text(BANK.replace("10,00", "11,00"), "utf-8")
    assert asked("SELECT max(Betrag) FILTER (Text = 'Delmar') AS m FROM bank").data["rows"] == [{"m": Decimal("11.00")}]
    assert len(list((tmp_path / "cache").iterdir())) == len(stored) + 1


def test_many_ask_at_once(asked: Ask) -> None:
    """The same tables, none of them stored yet, from several threads."""
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(asked, ["SELECT sum(Betrag) AS s FROM bank"] * 8))
    assert [result.data["rows"] for result in results] == [[{"s": Decimal("4046.90")}]] * 8


def test_runs_in_a_child_process(context: LocalContext) -> None:
    """As it does for an agent: the result comes back as plain values."""
    isolation = Isolation()
    try:
        arguments = query.arguments(sql="SELECT Text, Betrag FROM bank WHERE _row = 2")
        result = isolation.run(query, arguments, context, Deadline.after(60))
    finally:
        isolation.close()
    assert isinstance(result, ToolResult)
    assert result.data["rows"] == [{"Text": "Kestrel 上海贸易", "Betrag": "-291.00"}]
