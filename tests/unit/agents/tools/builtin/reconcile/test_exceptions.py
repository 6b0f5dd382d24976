"""The exceptions file: right in a spreadsheet, and nothing in it is run."""

import csv
import io
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.exceptions import as_text, write_exceptions
from agents.tools.builtin.reconcile.matching import match


def lines(left: Side, right: Side) -> list[dict[str, str]]:
    content = write_exceptions(match(left, right))
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def entry(row: int, amount: str, *references: str, party: str = "Société Lumière", currency: str = "EUR") -> Entry:
    return Entry(row, Decimal(amount), currency, date(2026, 3, row), references, party, "")


def test_a_spreadsheet_reads_the_letters() -> None:
    """UTF-8 with its mark, lines as spreadsheets write them."""
    content = write_exceptions(match(Side("l", (entry(1, "5"),)), Side("r", ())))
    assert content.startswith(b"\xef\xbb\xbfkind,left_rows,")
    assert content.count(b"\r\n") == 2
    assert "Société Lumière".encode() in content


def test_one_line_for_each_break() -> None:
    """Rows, dates, parties, references, amounts and the reason stand beside one another."""
    left = Side("l", (entry(1, "-12.5", "INV10001"), entry(2, "100", "INV10002")))
    (first, second) = lines(left, Side("r", (entry(1, "91", "INV10002"),)))
    assert (first["kind"], first["left_rows"], first["right_rows"]) == ("missing_in_right", "1", "")
    assert (first["left_amount"], first["right_amount"], first["difference"]) == ("-12.50", "", "-12.50")
    assert (second["kind"], second["left_date"], second["right_date"]) == ("amount", "2026-03-02", "2026-03-01")
    assert (second["left_amount"], second["right_amount"], second["difference"]) == ("100.00", "91.00", "9.00")
    assert second["explanation"] == "Linked by reference; off by 9.00: a bank fee or charge taken from the payment."


def test_a_break_in_two_currencies_has_two_lines() -> None:
    """Each currency has its own difference, so a column can be summed."""
    left, right = Side("l", (entry(1, "70", "INV10001"),)), Side("r", (entry(1, "70", "INV10001", currency="USD"),))
    told = [
        (line["currency"], line["left_amount"], line["right_amount"], line["difference"]) for line in lines(left, right)
    ]
    assert told == [("EUR", "70.00", "", "70.00"), ("USD", "", "70.00", "-70.00")]


@pytest.mark.parametrize(
    "party",
    [
        '=HYPERLINK("http://x","y")',
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "＝１",
        "  =1+1",
        "﹣1",
        "\x00=1",
    ],
)
def test_a_cell_that_would_be_run_is_text(party: str) -> None:
    """Whatever a payer writes as his name, the spreadsheet shows it."""
    (line,) = lines(Side("l", (entry(1, "5", party=party),)), Side("r", ()))
    assert line["left_party"].startswith("'")
    assert line["left_party"].endswith(party.lstrip("\x00"))


def test_harmless_text_and_negative_numbers_stay() -> None:
    """A name with a dash inside is not touched; a negative amount is a number."""
    assert as_text("Acme - services") == "Acme - services"
    (line,) = lines(Side("l", (entry(1, "-5"),)), Side("r", ()))
    assert line["left_amount"] == "-5.00"


@given(st.text(max_size=12))
def test_no_text_at_all_is_run(text: str) -> None:
    """No cell of text starts with a sign that spreadsheets act on, whatever invisible comes before it."""
    shown = as_text(text)
    assert not shown.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠", "﹣"))
    if text.isalnum():
        assert shown == text
