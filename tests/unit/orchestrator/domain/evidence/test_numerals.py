"""A run of digits is read as the numbers it can mean."""

from decimal import Decimal

import pytest

from orchestrator.domain.evidence.numerals import convention, readings, under, written_like


@pytest.mark.parametrize(
    ("run", "values"),
    [
        ("1234", ["1234"]),
        ("1,234.56", ["1234.56"]),
        ("1.234,56", ["1234.56"]),
        ("1 234,56", ["1234.56"]),
        ("1'234.50", ["1234.50"]),
        ("1,234,567", ["1234567"]),
        ("1.234.567", ["1234567"]),
        ("1.234.567,89", ["1234567.89"]),
        ("12,34,567.89", ["1234567.89"]),
        ("1,5", ["1.5"]),
        ("0,234", ["0.234"]),
        ("1234,567", ["1234.567"]),
        (".5", ["0.5"]),
        ("1,234", ["1234", "1.234"]),
        ("1.234", ["1234", "1.234"]),
        ("1.2.3", []),
        ("12,34,5", []),
        ("1,234.567,8", []),
        ("1" * 61, []),
    ],
)
def test_a_run_means_these_numbers(run: str, values: list[str]) -> None:
    """Only one mark with three digits behind it means two things; what no locale writes means nothing."""
    assert [reading.value for reading in readings(run)] == [Decimal(value) for value in values]


def test_the_marks_of_a_text_settle_what_a_run_means() -> None:
    """Beside `12.50` the run `1,234` is a thousand and some; beside `12,50` it is one and a fraction."""
    english = convention(frozenset(reading.mark for run in ("12.50", "7") for reading in readings(run)))
    german = convention(frozenset(reading.mark for run in ("12,50", "1.234.567") for reading in readings(run)))
    assert [reading.value for reading in under(readings("1,234"), english)] == [Decimal(1234)]
    assert [reading.value for reading in under(readings("1,234"), german)] == [Decimal("1.234")]


def test_marks_that_differ_settle_nothing() -> None:
    """A text with both conventions leaves both readings."""
    mixed = convention(frozenset(reading.mark for run in ("12.50", "12,50") for reading in readings(run)))
    assert len(under(readings("1,234"), mixed)) == 2


@pytest.mark.parametrize(
    ("value", "like", "text"),
    [
        ("1234.5", "9.999,00", "1.234,5"),
        ("-1234.56", "1,000.00", "-1,234.56"),
        ("1234", "12", "1234"),
        ("7", "1 234", "7"),
    ],
)
def test_a_number_is_written_like_another(value: str, like: str, text: str) -> None:
    """A hint uses the separators that the report uses."""
    assert written_like(Decimal(value), like) == text
