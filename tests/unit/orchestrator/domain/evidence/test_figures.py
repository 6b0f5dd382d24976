"""Figures are read with their signs, scales and per cents; names are set aside."""

import pytest

from orchestrator.domain.evidence.figures import Figure, scan


def shown(text: str, figure: Figure) -> str:
    """A figure as the text writes it, with the values it can have."""
    values = "|".join(str(value) for value, _ in figure.values())
    scale = f"e{figure.scale}" if figure.scale else ""
    return f"{text[figure.start : figure.end]} → {values}{scale}{'%' if figure.percent else ''}"


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("Total 1,234.56 EUR.", ["1,234.56 EUR → 1234.56"]),
        ("EUR1,234.56 and US$5", ["EUR1,234.56 → 1234.56", "US$5 → 5"]),
        ("合计１２３．４５元，共120行", ["１２３．４５元 → 123.45", "120 → 120"]),
        ("-5, −5, – 5, (-5)", ["-5 → -5", "−5 → -5", "5 → 5", "(-5) → -5"]),
        ("−$5, $-5, $(5) |", ["−$5 → -5", "$-5 → -5", "$(5) → 5|-5"]),
        ("| (38) | ( 12 ) | 1,234.56- |", ["(38) → -38", "( 12 ) → -12", "1,234.56- → -1234.56"]),
        ("two payments (38) in all", ["(38) → 38|-38"]),
        ("3–5, 3-5 and x 100-30", ["3 → 3", "5 → 5", "3 → 3", "5 → 5", "100 → 100", "30 → 30"]),
        ("-(5,062 + 6,533)", ["5,062 → 5062|5.062", "6,533 → 6533|6.533"]),
        ("12.3 % and (71.4 %), (5.5)%", ["12.3 % → 12.3%", "(71.4 %) → 71.4|-71.4%", "(5.5)% → 5.5|-5.5%"]),
        ("about 12.3 thousand", ["12.3 thousand → 12.3e3"]),
        ("1.2M, 5k, 3.2 Mio. EUR, 1.2万元", ["1.2M → 1.2e6", "5k → 5e3", "3.2 Mio. EUR → 3.2e6", "1.2万元 → 1.2e4"]),
        ("a 30-day window of 5kg", ["30 → 30", "5 → 5"]),
        ("1,2,3 of them", ["1 → 1", "2 → 2", "3 → 3"]),
        ("100 EUR 200 USD", ["100 EUR → 100", "200 USD → 200"]),
    ],
)
def test_figures_are_read_as_written(text: str, figures: list[str]) -> None:
    """Each figure with its span, its sign, its scale."""
    assert [shown(text, figure) for figure in scan(text).figures] == figures


@pytest.mark.parametrize(
    "text",
    [
        "[E4.2, E5.1] and E4.2/table.md",
        "PO-20263973 and B12, CP1252",
        "on 2026-03-01T10:00:00Z or 14 March 2026",
        "row 12, rows 3, 4 and 5",
        "at 14:30, the 3rd, version 1.2.3, section 3.1",
        "in 2026, Q1 2026, FY2026, from 2017 to 2019",
        "https://example.com/a/12?b=34",
        "sha256:0123456789abcdef0123456789abcdef",
        "{{E4.2/table.md}}",
        "第12行，第3页，表 2",
    ],
)
def test_names_are_no_figures(text: str) -> None:
    """Citations, codes, dates, places, times, years and addresses hold digits but no figures."""
    assert scan(text).figures == ()


def test_evidence_is_read_both_ways_where_spaces_may_group() -> None:
    """`12 345` in a text of the evidence may be one figure or two; in a report it is one."""
    assert [figure.run for figure in scan("12 345", split=True).figures] == ["12 345", "12", "345"]
    assert [figure.run for figure in scan("12 345").figures] == ["12 345"]


def test_what_is_hidden_is_not_read() -> None:
    """The ordinals of a list are given as stretches to leave out."""
    assert [figure.run for figure in scan("1. has 2 of 3", [(0, 2)]).figures] == ["2", "3"]


def test_offsets_stay_those_of_the_text() -> None:
    """Whatever is masked or folded, a figure is found where it stands."""
    text = "【E4.2】 row 12： １，２３４ €"
    [figure] = scan(text).figures
    assert text[figure.start : figure.end] == "１，２３４ €"
