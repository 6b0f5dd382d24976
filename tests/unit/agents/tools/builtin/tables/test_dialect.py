"""With which delimiter and quote a text is cut into cells."""

import pytest

from agents.tools.builtin.tables.dialect import Dialect, cut, find_dialect
from orchestrator.errors import InputError

ROWS = [
    ["ref", "date", "party", "amount"],
    ["A-1", "2026-03-01", "Acme", "10.50"],
    ["A-2", "2026-03-02", "Beta", "9.00"],
]


def cells(text: str) -> list[tuple[str, ...]]:
    """The cells of a text, in the dialect found."""
    return [record.cells for record in cut(text, find_dialect(text, "t.csv"), "t.csv")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_delimiter_and_line_end_gives_the_same_cells(delimiter: str, end: str) -> None:
    """Comma, semicolon, tab and bar; Unix, Windows and old Mac lines."""
    text = end.join(delimiter.join(row) for row in ROWS) + end
    assert cells(text) == [tuple(row) for row in ROWS]


def test_decimal_commas_do_not_cut_a_table_of_semicolons() -> None:
    """Every row has one comma too, but the cells between semicolons are numbers and dates."""
    text = "Rechnung;Datum;Betrag\nR-1;01.03.2026;3.954,84\nR-2;02.03.2026;459,27\n"
    assert find_dialect(text, "t.csv").delimiter == ";"


def test_commas_in_dates_do_not_cut_a_table_of_bars() -> None:
    """`Mar 01, 2026` and `6 850,46` hold commas in every row."""
    text = "Datum|Naam|Bedrag\nMar 01, 2026|Acme|6 850,46\nMar 02, 2026|Beta|9 458,79\n"
    assert find_dialect(text, "t.csv").delimiter == "|"


def test_a_quoted_cell_holds_delimiters_quotes_and_lines() -> None:
    """Nothing inside quotes cuts; the line of a record is where it begins."""
    text = 'ref,text,amount\nA-1,"two\nlines, and ""words""",10.50\nA-2,plain,9.00\n'
    records = cut(text, find_dialect(text, "t.csv"), "t.csv")
    assert records[1].cells == ("A-1", 'two\nlines, and "words"', "10.50")
    assert [record.line for record in records] == [1, 2, 4]


def test_a_quote_that_is_never_closed_does_not_swallow_the_rows_below() -> None:
    """A stray quote at the start of a cell is an ordinary character where that keeps the rows alike."""
    rows = "".join(f"A-{row},2026-03-{row:02d},name,{row}.50\n" for row in range(1, 20))
    text = 'ref,date,party,amount\nA-0,2026-03-01,"Acme,10.50\n' + rows
    assert len(cells(text)) == 21
    assert cells(text)[1] == ("A-0", "2026-03-01", '"Acme', "10.50")


def test_single_quotes_and_escaped_quotes_are_found() -> None:
    """Other writers quote with apostrophes, or escape with a backslash."""
    single = "'ref','text','amount'\n'A-1','a,b','10.50'\n'A-2','c','9.00'\n"
    assert cells(single)[1] == ("A-1", "a,b", "10.50")
    escaped = 'ref,text,amount\nA-1,"say \\"yes\\", please",10.50\nA-2,"c",9.00\n'
    assert cells(escaped)[1] == ("A-1", 'say "yes", please', "10.50")


def test_a_thousands_apostrophe_is_no_quote() -> None:
    """Swiss amounts and Irish names keep their apostrophes."""
    text = "ref;party;amount\nA-1;O'Brien;1'234.50\nA-2;D'Arcy;2'000.00\n"
    assert cells(text)[1] == ("A-1", "O'Brien", "1'234.50")


def test_a_spreadsheets_own_declaration_is_believed() -> None:
    """`sep=` names the delimiter and is no row; line numbers still count it."""
    text = "sep=;\r\na;b\r\n1,5;2,5\r\n"
    assert find_dialect(text, "t.csv") == Dialect(";")
    assert [(record.line, record.cells) for record in cut(text, Dialect(";"), "t.csv")] == [
        (2, ("a", "b")),
        (3, ("1,5", "2,5")),
    ]


def test_one_column_is_refused() -> None:
    """A list of names is no table."""
    with pytest.raises(InputError) as caught:
        find_dialect("name\nAcme\nBeta\n", "t.csv")
    assert caught.value.what.startswith("the file has only one column")


def test_a_cell_without_end_is_refused() -> None:
    """A cell larger than any cell of a table is a quote left open."""
    text = 'a,b\n1,"' + "x" * 140_000
    with pytest.raises(InputError) as caught:
        cut(text, Dialect(","), "t.csv")
    assert caught.value.mend == "Look for a quote that is opened and never closed."
