"""Dates are found in any spelling, as all the days they can mean."""

import pytest

from orchestrator.domain.evidence.dates import moments

MARCH_1 = (2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-03-01", [MARCH_1]),
        ("2026-03-01T00:00:00Z", [MARCH_1]),
        ("2026/3/1", [MARCH_1]),
        ("1.3.2026", [(2026, 1, 3), MARCH_1]),
        ("03/25/2026", [(2026, 3, 25)]),
        ("25.03.26", [(2025, 3, 26), (2026, 3, 25)]),
        ("2026年3月1日", [MARCH_1]),
        ("1 March 2026", [MARCH_1]),
        ("March 1st, 2026", [MARCH_1]),
        ("01-Mar-2026", [MARCH_1]),
        ("1. März 2026", [MARCH_1]),
        ("1 mars 2026", [MARCH_1]),
        ("5 May", [(0, 5, 5)]),
        ("March 2026", [(2026, 3, 0)]),
        ("2026-03", [(2026, 3, 0)]),
        ("1–31 March 2026", [MARCH_1, (2026, 3, 31)]),
    ],
)
def test_a_spelling_means_these_days(text: str, days: list[tuple[int, int, int]]) -> None:
    """0 stands for what is not said."""
    [moment] = moments(text)
    assert sorted(moment.days) == days
    assert moment.written == text


@pytest.mark.parametrize(
    "text", ["31.02.2026", "2026-13-01", "PO-2026-03-01", "1.2.3", "3.11.14", "row 5 may be wrong", "we may 5", "12.50"]
)
def test_what_is_no_date_is_left_alone(text: str) -> None:
    """Days that no calendar has, parts of codes, versions and the verb `may` name no day."""
    assert list(moments(text)) == []


def test_two_dates_of_a_range_are_two() -> None:
    """The dash between dates belongs to neither."""
    assert [moment.written for moment in moments("01.03.2026-31.03.2026")] == ["01.03.2026", "31.03.2026"]
