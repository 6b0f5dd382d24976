"""From a file's bytes to header, data rows and what is left out."""

from pathlib import Path

import pytest

from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.reading import Limits, parse_table, read_table
from orchestrator.errors import InputError


def grid(text: str) -> Grid:
    """The grid of a text."""
    return parse_table(text.encode(), "t.csv")


def reasons(found: Grid) -> list[tuple[int, str]]:
    """What was left out: line and reason."""
    return [(one.line, one.reason) for one in found.skipped]


def test_header_and_rows_of_a_plain_table() -> None:
    """The simplest case."""
    found = grid("ref,date,amount\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\n")
    assert found.header == ("ref", "date", "amount")
    assert found.header_line == 1
    assert found.rows == (("A-1", "2026-03-01", "10.50"), ("A-2", "2026-03-02", "9.00"))
    assert found.lines == (2, 3)
    assert found.column("date") == ("2026-03-01", "2026-03-02")
    assert reasons(found) == []


def test_preamble_blank_lines_total_and_footer_are_no_rows() -> None:
    """A statement as banks print it; line numbers are those of the file."""
    found = grid(
        "Account statement;;;\nIBAN;DE89370400440532013000;;\nPeriod;01.03.2026;;\n\n"
        "Datum;Text;Soll;Haben\n01.03.2026;Miete;500,00;\n\n02.03.2026;Acme;;700,00\n03.03.2026;Beta;;90,00\n"
        ";Summe;500,00;790,00\nPage 1 of 1;;;\n"
    )
    assert found.header_line == 5
    assert found.lines == (6, 8, 9)
    assert reasons(found) == [
        (1, "preamble"),
        (2, "preamble"),
        (3, "preamble"),
        (4, "blank"),
        (7, "blank"),
        (10, "total"),
        (11, "footer"),
    ]
    assert found.assumptions == ("1 lines hold neither a figure nor a date and are no rows (line 11 «Page 1 of 1»).",)


def test_a_preamble_as_wide_as_the_table_is_not_its_header() -> None:
    """Names of columns stand right above figures."""
    found = grid(
        "Konto,Girokonto,Inhaber,Muster AG\nNr,Datum,Kunde,Betrag\nR-1,2026-03-01,Acme,10.50\nR-2,2026-03-02,B,9\n"
    )
    assert found.header == ("Nr", "Datum", "Kunde", "Betrag")


@pytest.mark.parametrize("label", ["TOTAL", "Total:", "Summe", "合计", "Итого", "Razem", "Somme"])
def test_a_total_row_is_known_by_its_label(label: str) -> None:
    """In any language, in any column that is not the amount's."""
    head = "ref,date,party,amount\nA-1,2026-03-01,Acme,10.50\nA-2,2026-03-02,Beta,9.00\n"
    for row in (f"{label},,,19.50", f",,{label},19.50", f",{label},,19.50"):
        found = grid(head + row + "\n")
        assert len(found.rows) == 2
        assert reasons(found) == [(4, "total")]
        assert found.assumptions == ()


def test_a_total_that_is_not_the_sum_is_left_out_and_said() -> None:
    """The difference is for a person to know."""
    found = grid("ref,date,amount\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\nTOTAL,,20.00\n")
    assert len(found.rows) == 2
    assert found.assumptions == ("Line 4: `TOTAL` says 20.00, which is not the sum of the rows above.",)


def test_a_total_without_a_label_is_known_by_being_the_sum() -> None:
    """A last row with nothing but the sum of the column."""
    found = grid("ref,date,amount\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\n,,19.50\n")
    assert reasons(found) == [(4, "total")]
    kept = grid("ref,date,amount\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\n,,19.49\n")
    assert len(kept.rows) == 3


def test_subtotals_are_left_out_and_the_grand_total_counts_each_row_once() -> None:
    """A report in sections."""
    found = grid(
        "ref,date,amount\nA-1,2026-03-01,10.00\nA-2,2026-03-02,20.00\nSubtotal,,30.00\n"
        "A-3,2026-03-03,5.00\nSubtotal,,5.00\nGrand total,,35.00\n"
    )
    assert found.lines == (2, 3, 5)
    assert found.assumptions == ()


def test_a_customer_called_total_is_a_customer() -> None:
    """A row with date and reference is a booking, whatever its party is called."""
    found = grid(
        "ref,date,party,amount\nA-1,2026-03-01,Total,10.00\nA-2,2026-03-02,Total Energies,20.00\n"
        "A-3,2026-03-03,Balance Ltd,30.00\nA-4,2026-03-04,Saldo,5.00\n"
    )
    assert len(found.rows) == 4


def test_opening_and_closing_balances_are_no_bookings() -> None:
    """They carry a date, but only their label."""
    found = grid(
        "Datum;Text;Betrag\n01.03.2026;Anfangssaldo;1.000,00\n02.03.2026;Acme R-1;70,00\n"
        "03.03.2026;Saldo Rechnung 17;90,00\n04.03.2026;Saldo;10,00\n31.03.2026;Endsaldo;1.160,00\n"
    )
    assert [row[1] for row in found.rows] == ["Acme R-1", "Saldo Rechnung 17", "Saldo"]


def test_a_repeated_header_and_rules_are_no_rows() -> None:
    """Page breaks of printed reports."""
    found = grid("ref,amount\n----,------\nA-1,10.50\nREF,AMOUNT\nA-2,9.00\n====,=====\n")
    assert found.rows == (("A-1", "10.50"), ("A-2", "9.00"))
    assert [reason for _, reason in reasons(found)] == ["separator", "repeated header", "separator"]


def test_a_line_of_units_below_the_header_joins_the_names() -> None:
    """`EUR` under `Amount` says the currency of the column."""
    found = grid("Ref,Date,Amount\n,,EUR\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\n")
    assert found.header == ("Ref", "Date", "Amount EUR")
    assert reasons(found) == [(2, "units")]


def test_a_table_without_header_is_numbered() -> None:
    """The first row is a booking like the others."""
    found = grid("A-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\n")
    assert found.header == ("column 1", "column 2", "column 3")
    assert found.header_line is None
    assert len(found.rows) == 2
    assert found.assumptions == ("The table has no header; its columns were numbered.",)


def test_names_are_made_unique_and_never_empty() -> None:
    """Every column can be named."""
    found = grid("Amount,Amount,,Date\n1.50,2.50,x,2026-03-01\n3.50,4.50,y,2026-03-02\n")
    assert found.header == ("Amount", "Amount (2)", "column 3", "Date")


def test_an_unquoted_delimiter_inside_a_cell_is_mended() -> None:
    """A comma in a name, a thousands comma in an amount: the row is joined where its cells then fit."""
    found = grid(
        "ref,date,party,amount\nA-1,2026-03-01,Acme,10.50\nA-2,2026-03-02,Smith, John,9.00\n"
        "A-3,2026-03-03,Beta,1,309.30\nA-4,2026-03-04,Beta,7.00\n"
    )
    assert found.rows[1] == ("A-2", "2026-03-02", "Smith, John", "9.00")
    assert found.rows[2] == ("A-3", "2026-03-03", "Beta", "1,309.30")
    assert found.assumptions == ("2 rows had too many cells and were joined to fit (lines 3, 4).",)
    found = grid("ref,date,party,amount\nA-1,2026-03-01,Acme,10.50\nA-2,2026-03-02,Smith, John,9.00\n")
    assert found.assumptions == ("1 row had too many cells and was joined to fit (line 3).",)


def test_short_rows_are_filled_and_trailing_delimiters_ignored() -> None:
    """Writers leave out empty cells at the end, or add one."""
    found = grid("ref,date,amount,note\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00,,\nA-3,2026-03-03,8.00,x\n")
    assert found.rows[0] == ("A-1", "2026-03-01", "10.50", "")
    assert found.rows[1] == ("A-2", "2026-03-02", "9.00", "")


@pytest.mark.parametrize(
    ("text", "cut_off"),
    [
        ("id,name,amount\n1,Acme,10\n2,Bru", True),
        ('id,name,amount\n1,Acme,10\n2,"Bru', True),
        ("id,name,amount\n1,Acme,10\n2,Bruno,20", False),
        ("id,name,amount\n1,Acme\n2,Bruno,20\n3,Carla", False),
        ("id,name,amount\n1,Acme,10\n2,Bruno,20\nend of report", False),
    ],
)
def test_a_file_that_ends_in_a_row_is_told_of(text: str, cut_off: bool) -> None:
    """Half a row may be half a file; where rows end early anyway, or a remark stands last, nothing is said."""
    said = "The last row (line 3) has fewer cells than the others: the file may be cut off."
    assert [one for one in grid(text).assumptions if "cut off" in one] == [said] * cut_off


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the file is empty"),
        ("\n \n\r\n", "the file is empty"),
        ("name\nAcme\nBeta\n", "the file has only one column"),
        ("ref,date,amount\n", "the table has a header but no rows"),
        ("ref,date,amount\nTOTAL,,0.00\n", "the table has a header but no rows"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(text: str, what: str) -> None:
    """Each is told with the file's name."""
    with pytest.raises(InputError) as caught:
        grid(text)
    assert str(caught.value).startswith(f"t.csv: {what}")
    assert "\n" not in str(caught.value)


def test_missing_files_folders_and_large_files_are_refused(tmp_path: Path) -> None:
    """The path's own troubles."""
    with pytest.raises(InputError, match="there is no such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(InputError, match="this is a folder, not a file"):
        read_table(tmp_path)
    (tmp_path / "large.csv").write_text("a,b\n1,2\n" * 1000)
    with pytest.raises(InputError, match=r"the table is larger than 0 MB or 6,000,000 cells"):
        read_table(tmp_path / "large.csv", limits=Limits(bytes=4_000))
    with pytest.raises(InputError, match=r"the table is larger than 64 MB or 1,000 cells"):
        read_table(tmp_path / "large.csv", limits=Limits(cells=1_000))


def test_a_file_is_called_as_people_call_it(tmp_path: Path) -> None:
    """A copy in the store has another path than the file that was given."""
    (tmp_path / "0f3a").write_text("ref,amount\nA-1,10.50\n")
    assert read_table(tmp_path / "0f3a", name="ledger.csv").name == "ledger.csv"


def test_a_report_with_ruled_borders_is_a_table() -> None:
    """Lists of accounting programs: bars at both edges, rules between, a star at the line of the sum."""
    found = grid(
        "-----------------------------------------\n"
        "|  DocumentNo | Date       | Customer |    Amount |Curr. |\n"
        "-----------------------------------------\n"
        "|  1400000001 | 01.03.2026 | ACME     | 1.234,50- |EUR   |\n"
        "|  1400000002 | 02.03.2026 | BETA     |    99,00  |EUR   |\n"
        "-----------------------------------------\n"
        "|*            |            |          | 1.135,50- |EUR   |\n"
    )
    assert [row[1] for row in found.rows] == ["1400000001", "1400000002"]
    assert [reason for _, reason in reasons(found)] == ["preamble", "separator", "separator", "total"]
    assert found.assumptions == ()


def test_summary_lines_below_a_table_are_no_rows() -> None:
    """An export that counts its rows under them, with figures in the columns of names."""
    found = grid(
        "交易号,时间,对方,金额（元）,收/支,状态,备注\n"
        "A20260001,2026-03-01 10:00:00,南京紫金医药,3072.54,收入,成功,\n"
        "A20260002,2026-03-02 10:00:00,广州南粤食品,100.00,支出,成功,\n"
        "A20260003,2026-03-15 10:00:00,北京云帆科技,20.50,收入,成功,\n"
        "-----------\n共3笔记录\n导出时间:[2026-04-01 09:00:00]    用户:张三\n"
    )
    assert len(found.rows) == 3
    assert [reason for _, reason in reasons(found)] == ["separator", "footer", "footer"]
