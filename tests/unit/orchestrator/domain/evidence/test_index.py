"""An index knows what an observation contains."""

from decimal import Decimal

from orchestrator.domain.evidence.index import Index


def test_numbers_are_found_wherever_they_stand() -> None:
    """JSON numbers, canonical texts and numbers inside longer texts, in any locale."""
    index = Index.of({"a": 1.5, "b": "2.50", "c": ["fee of 3.954,84 EUR", "(38)", "12.3 %", "5 thousand", "—"]})
    expected = ["1.5", "2.50", "3954.84", "-38", "12.3", "0.123", "5000", "5", "0"]
    assert {Decimal(value) for value in expected} <= index.values


def test_numbers_of_json_text_are_read_exactly() -> None:
    """No digit is lost to binary fractions, and what is no JSON is a text."""
    assert Decimal("12345678901234567.89") in Index.of_json('{"a": 12345678901234567.89}').values
    assert Decimal("7.5") in Index.of_json("7.5 of {").values


def test_what_cannot_be_written_out_is_no_number() -> None:
    """Infinity, NaN and numbers with thousands of digits are left out, truth values too."""
    index = Index.of_json('{"a": NaN, "b": Infinity, "c": 1e999999, "d": true, "e": null}')
    assert index.values == frozenset()


def test_row_numbers_are_kept_apart() -> None:
    """Named as such, or many, different and dense: else any small figure would be supported by some row."""
    data = {
        "pairs": [{"left": [n], "right": [n + 1]} for n in range(1, 31)],
        "open": [{"left": [57], "row": 58, "count": 12}],
    }
    index = Index.of({"data": data})
    assert index.places == {*range(1, 32), 57, 58}
    assert index.values == {Decimal(12), Decimal(30), Decimal(1)}


def test_the_length_of_a_list_is_a_figure() -> None:
    """`3 rows` may be said of an observation that lists three, near its root only."""
    index = Index.of({"data": {"items": [{"parts": ["a", "b"]}, {}, {}]}})
    assert index.values == {Decimal(3)}


def test_columns_of_a_table_of_lists_are_told_apart() -> None:
    """The first column of such a table may be row numbers without the others being any."""
    index = Index.of({"rows": [[n, "x", n * 7] for n in range(1, 11)]})
    assert index.places == set(range(1, 11))
    assert Decimal(70) in index.values


def test_dates_years_and_codes_are_known() -> None:
    """As days, as years, and as letters and digits alone."""
    index = Index.of(["2026-03-01", "PO-2027/17 paid", {"2025-12-31": "in 2019"}, 2024])
    assert {(2026, 3, 1), (2025, 12, 31)} == index.days
    assert {2026, 2025, 2019, 2024} <= index.years
    assert "po202717" in index.codes


def test_no_quote_reaches_from_one_text_into_the_next() -> None:
    """Texts are kept apart."""
    index = Index.of(["the first", "and the second"])
    assert "the first" in index.words
    assert "first and" not in index.words


def test_powers_that_the_evidence_names_are_known() -> None:
    """`In thousands` over a table."""
    assert Index.of({"note": "(In thousands)", "b": "€ 000"}).scales == {3}
    assert Index.of("12 in millions, 3 Mrd.").scales == {6, 9}
