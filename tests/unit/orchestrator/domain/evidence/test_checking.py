"""A report is checked against the observations it cites."""

import time

import pytest

from orchestrator.domain.evidence import Index, check

CONTENTS = {
    "E3.1": {
        "ok": True,
        "data": {
            "summary": {"left": "512345.67", "right": "510000.00", "matched": 105, "rows": 120},
            "pairs": [{"left": [n], "right": [n]} for n in range(1, 106)],
            "open": [
                {"left": [106], "right": [107], "difference": "-10.00", "why": "a fee of 10.00"},
                {"left": [112], "right": [], "difference": "2355.67", "why": "PO-20263973 of 2026-03-14"},
            ],
        },
    },
    "E5.1": {"note": "confirmed by phone, 7 calls"},
}

REPORT = """# Month end March 2026

## 1. Totals [E3.1]

105 of 120 rows match (87.5 %).
Difference: 512,345.67 − 510,000.00 = 2,345.67 EUR.

## 2. Open

| # | Left row | Right row | Difference | Source |
|---|---|---|---:|---|
| 1 | 106 | 107 | -10.00 | [E3.1] |
| 2 | 112 | — | 2,355.67 | [E3.1] |
| **Total** | | | **2,345.67** | [E3.1] |

- L112: PO-20263973 of 14 March 2026 stands in row 112 only [E3.1].
- After 7 calls nothing was missing [E5.1].
- It is short by 10.00 EUR, of about 512 thousand [E3.1].
"""


def test_a_report_with_sources_passes() -> None:
    """Headings, tables, lists, calculations, shares, dates, codes and row numbers, each with its source."""
    assert check(REPORT, CONTENTS) == ()


CHANGES = {
    "a count": ("105 of", "115 of", 5, "not_found", "115", "the evidence has 105"),
    "another count": ("120 rows", "180 rows", 5, "not_found", "180", "the evidence has 120"),
    "a share": ("87.5 %", "87.6 %", 5, "not_found", "(87.6 %)", "nor anything near it"),
    "an operand": ("510,000.00 =", "510,001.00 =", 6, "not_found", "510,001.00", "has 510,000.00"),
    "a result": ("= 2,345.67", "= 2,345.77", 6, "wrong_sum", "2,345.77 EUR", "is 2,345.67, not"),
    "a cell": ("2,355.67 |", "2,355.76 |", 13, "not_found", "2,355.76", "the evidence has 2,355.67"),
    "a sign": ("| -10.00", "| -11.00", 12, "not_found", "-11.00", "the evidence has -10.00"),
    "a row number in a table": ("| 107 |", "| 207 |", 12, "not_found", "207", "E3.1"),
    "a total": ("**2,345.67**", "**2,345.68**", 14, "wrong_sum", "2,345.68", "add up to 2,345.67"),
    "a code": ("PO-20263973", "PO-20263937", 16, "not_found", "PO-20263937", "not in any observation"),
    "a date": ("14 March 2026", "15 March 2026", 16, "not_found", "15 March 2026", "not in any observation"),
    "a day that is none": ("14 March 2026", "2026-33-14", 16, "not_found", "2026-33-14", "not in any observation"),
    "a row number": ("row 112", "row 122", 16, "not_found", "row 122", "not in E3.1"),
    "a rounded figure": ("512 thousand", "513 thousand", 18, "not_found", "513 thousand", "has 512345.67"),
    "a magnitude": ("short by 10.00", "short by 100.0", 18, "not_found", "100.0 EUR", "has 10.00"),
    "another observation": ("calls nothing was missing [E5.1]", "calls [E3.1]", 17, "not_found", "7", "E5.1 has it"),
    "an unknown observation": ("[E5.1]", "[E5.2]", 17, "unknown_citation", "[E5.2]", "Known: E3.1, E5.1"),
    "no observation": (" [E5.1]", "", 17, "uncited", "7", "end the line with [E5.1]"),
    "the year of a title": ("March 2026\n", "March 2027\n", 1, "not_found", "March 2027", "not in any observation"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_one_change_is_one_fault_on_its_line(case: str) -> None:
    """The fault names the figure as written, its kind, and how to mend it."""
    old, new, line, kind, written, mend = CHANGES[case]
    assert REPORT.count(old) == 1
    [fault] = check(REPORT.replace(old, new), CONTENTS)
    assert (fault.line, fault.kind, fault.written) == (line, kind, written)
    assert mend in fault.mend
    assert str(fault) == f"Line {line}: {fault.mend}"


def test_a_row_number_is_no_figure() -> None:
    """That some row has the number 77 does not make 77 of anything true."""
    [fault] = check("There are 77 of them [E3.1].", CONTENTS)
    assert fault.kind == "not_found"
    assert "only as a row number" in fault.mend
    assert check("It is row 77 [E3.1].", CONTENTS) == ()


def test_a_column_that_counts_rows_holds_figures() -> None:
    """`Left row` heads row numbers, `Rows` counts."""
    row_numbers, counts = "| Left row | b |\n|--|--|\n| 77 | [E3.1] |", "| Rows | b |\n|--|--|\n| 77 | [E3.1] |"
    assert check(row_numbers, CONTENTS) == ()
    assert [fault.written for fault in check(counts, CONTENTS)] == ["77"]


def test_what_was_given_needs_no_citation() -> None:
    """The goal's own figures, dates, files and codes may be repeated."""
    text = "Above 500 EUR, as of 30 June 2024, in file_2024.csv of AB-1234, asked in 2024."
    assert check(text, CONTENTS, given="Report all above 500.00 EUR as of 2024-06-30 in file_2024.csv (AB 1234)") == ()
    kinds = [(fault.kind, fault.written) for fault in check(text, CONTENTS)]
    assert kinds == [
        ("uncited", "500 EUR"),
        ("not_found", "30 June 2024"),
        ("not_found", "in 2024"),
        ("not_found", "file_2024.csv"),
        ("not_found", "AB-1234"),
    ]


def test_ends_of_a_named_month_may_be_named() -> None:
    """Where a day of March is known, `1 to 31 March` is no invention; a day between is."""
    assert check("From 1 March 2026 to 31 March 2026.", CONTENTS) == ()
    assert [fault.written for fault in check("On 30 March 2026.", CONTENTS)] == ["30 March 2026"]


def test_years_head_tables_without_a_citation() -> None:
    """Years of the evidence are no figures in the head of a table; others are."""
    contents = {"E1.1": {"2019": 5, "2018": 6}}
    assert check("| | 2019 | 2018 | |\n|--|--|--|--|\n| a | 5 | 6 | [E1.1] |", contents) == ()
    faults = check("| | 2019 | 2017 | |\n|--|--|--|--|\n| a | 5 | 6 | [E1.1] |", contents)
    assert [fault.written for fault in faults] == ["2017"]


def test_figures_written_in_another_locale_than_the_rest_are_read_so() -> None:
    """A report that writes 12.50 means a thousand and some by 1,234, and 1.234 is not that."""
    contents = {"E1.1": ["12.50", 1234]}
    assert check("It is 12.50, 1,234 [E1.1]", contents) == ()
    assert [fault.written for fault in check("It is 12.50 and 1.234 [E1.1]", contents)] == ["1.234"]
    assert check("It is 1.234 [E1.1]", contents) == ()


def test_files_of_an_observation_are_part_of_it() -> None:
    """Contents may hold what a tool made beside its result, and an index in place of a value."""
    contents = {"E1.1": Index.of({"a": 1}), "E1.1/table.md": "| 22 |"}
    assert check("1 and 22 [E1.1]", contents) == ()
    assert check("22 [E1.1/table.md]", contents) == ()


def test_faults_come_in_the_order_of_the_lines() -> None:
    """Each figure has one fault, whatever else is wrong with it."""
    text = "| a | 1 |\n| Total | 2 |\n\n9 − 1 = 7\n\n[E9.9] 5"
    found = [(fault.line, fault.kind) for fault in check(text, CONTENTS)]
    assert found == [
        (1, "uncited"),
        (2, "uncited"),
        (4, "uncited"),
        (4, "uncited"),
        (4, "uncited"),
        (6, "unknown_citation"),
    ]


def test_the_signs_of_a_calculation_are_its_own() -> None:
    """The evidence holds −510; `512 − 510 = 2` says the same as `512 + −510`."""
    assert check("512 − 510 = 2 [E1.1]", {"E1.1": [512, -510]}) == ()
    assert [fault.written for fault in check("510 [E1.1]", {"E1.1": [512, -510]})] == ["510"]


def test_a_total_that_the_evidence_has_may_be_rounded() -> None:
    """Whole thousands need not add up to the last digit; money to the cent has to, and so has what nobody computed."""
    rows = "| a | 10 | [E1.1] |\n| b | 10 | [E1.1] |\n| c | 10 | [E1.1] |\n| Total | {} | [E1.1] |"
    contents = {"E1.1": [10, 31, 32, "10.00", "30.01"]}
    assert check(rows.format(31), contents) == ()
    assert [fault.kind for fault in check(rows.format(32), contents)] == ["wrong_sum"]
    cents = rows.replace("10", "10.00").format("30.01")
    assert [fault.kind for fault in check(cents, contents)] == ["wrong_sum"]


def test_an_empty_report_has_no_faults() -> None:
    """Neither has one without figures."""
    assert check("", {}) == ()
    assert check("# Nothing\n\nto say", {}) == ()


def test_a_long_report_is_checked_fast() -> None:
    """2,000 rows cited from 2,000 records take well under a second of CPU, also when every line is wrong."""
    records = [
        {"row": n, "code": f"PO-2026{n:05}", "date": f"2026-03-{n % 28 + 1:02}", "amount": f"{n * 7.31:.2f}"}
        for n in range(1, 2001)
    ]
    rows = [f"| {one['row']} | {one['code']} | {one['date']} | {one['amount']} | [E1.1] |" for one in records]
    report = "\n".join(["| Row | Code | Date | Amount | Source |", "|--|--|--|--|--|", *rows])
    started = time.process_time()
    assert check(report, {"E1.1": {"rows": records}}) == ()
    assert len(check(report.replace("[E1.1]", ""), {"E1.1": {"rows": records}})) == 4_000
    assert time.process_time() - started < 2.0
