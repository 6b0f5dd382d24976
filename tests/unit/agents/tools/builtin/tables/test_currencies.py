"""Which currency a mark, a label or a number format names."""

import pytest

from agents.tools.builtin.tables.currencies import currency_in, currency_of
from agents.tools.builtin.tables.workbook_currency import currency_of_format


@pytest.mark.parametrize(
    ("mark", "code"),
    [
        ("eur", "EUR"),
        ("€", "EUR"),
        ("Fr.", "CHF"),
        ("zł", "PLN"),
        ("元", "CNY"),
        ("US$", "USD"),
        ("$", "$"),
        ("￥", "¥"),
    ],
)
def test_a_mark_names_its_currency(mark: str, code: str) -> None:
    """Codes in any case, signs, full-width signs; what several currencies share stays a sign."""
    assert currency_of(mark) == code


@pytest.mark.parametrize("mark", ["%", "kg", "INV", "", "XYZ"])
def test_other_words_name_none(mark: str) -> None:
    """Units and unknown codes are no currencies."""
    assert currency_of(mark) is None


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("Amount (EUR)", "EUR"),
        ("Betrag in €", "EUR"),
        ("金额（元）", "CNY"),
        ("amount_usd", "USD"),
        ("Currency: GBP", "GBP"),
        ("Total all", None),
        ("Amount", None),
        ("EUR or USD", None),
    ],
)
def test_a_label_names_one_currency_or_none(label: str, code: str | None) -> None:
    """Words such as `all` are no codes, and two codes are none."""
    assert currency_in(label) == code


@pytest.mark.parametrize(
    ("shown", "code"),
    [("#,##0.00\\ [$€-407]", "EUR"), ("[$$-409]#,##0.00", "$"), ('"CHF" 0.00', "CHF"), ("0.00", None), ("0%", None)],
)
def test_a_number_format_shows_its_currency(shown: str, code: str | None) -> None:
    """Workbooks may show a currency without storing it in the cell."""
    assert currency_of_format(shown) == code
