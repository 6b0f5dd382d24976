"""What column names and labels mean, in many languages."""

import pytest

from agents.tools.builtin.tables.vocabulary import Meaning, folded, is_balance_label, is_total_label, named_as


@pytest.mark.parametrize(
    ("name", "meaning", "least"),
    [
        ("Betrag", "amount", 3.0),
        ("Rechnungsbetrag", "amount", 1.5),
        ("gross", "amount", 3.0),
        ("TransactionAmount", "amount", 2.0),
        ("金额（元）", "amount", 2.0),
        ("booking_date", "date", 2.0),
        ("Buchungsdatum", "date", 1.5),
        ("交易日", "date", 3.0),
        ("Échéance", "other date", 3.0),
        ("invoice_no", "reference", 2.0),
        ("发票号", "reference", 2.0),
        ("Zahlungspflichtiger", "party", 3.0),
        ("对方户名", "party", 2.0),
        ("ccy", "currency", 3.0),
        ("Verwendungszweck", "text", 3.0),
        ("Soll", "debit", 3.0),
        ("收入金额", "credit", 2.0),
        ("Solde", "balance", 3.0),
    ],
)
def test_a_name_says_what_a_column_means(name: str, meaning: Meaning, least: float) -> None:
    """Whole names count more than words inside them, and those more than parts of words."""
    assert named_as(name, meaning) >= least


def test_a_short_word_inside_a_longer_name_means_nothing() -> None:
    """`in` names a column of receipts alone, not in `Amount in EUR`."""
    assert named_as("In", "credit") == 3.0
    assert named_as("Amount in EUR", "credit") == 0.0


def test_case_accents_and_width_do_not_matter() -> None:
    """Labels are compared in one spelling."""
    assert folded("  Fälligkeits-Datum ") == folded("FALLIGKEITS DATUM")
    assert folded("ＴＯＴＡＬ：") == "total"


@pytest.mark.parametrize(
    "cell",
    [
        "TOTAL",
        "Total:",
        "Grand total",
        "Total March 2026",
        "Summe EUR",
        "Zwischensumme",
        "合计",
        "总计：",
        "Итого",
        "Razem",
        "合計",
    ],
)
def test_a_total_is_known_by_its_label(cell: str) -> None:
    """In every language of the tables."""
    assert is_total_label(cell)


@pytest.mark.parametrize("cell", ["Opening balance", "Endsaldo", "期初余额", "Solde final", "前期繰越"])
def test_a_balance_is_known_by_its_label(cell: str) -> None:
    """Balances carried are no bookings."""
    assert is_balance_label(cell)


@pytest.mark.parametrize(
    "cell", ["Acme Tooling", "INV-1001", "Total Energies", "Summe Bau GmbH", "Balance payment", "Saldo Rechnung 17"]
)
def test_names_and_purposes_are_no_labels(cell: str) -> None:
    """A word inside a longer text labels nothing."""
    assert not is_total_label(cell)
    assert not is_balance_label(cell)
