"""A figure follows from evidence by its calculation, or does not."""

import pytest

from orchestrator.domain.evidence import Index, supports

TABLE = Index.of(
    {
        "table": [
            ["(In thousands)", "2019", "2018"],
            ["Net sales", "$ 150,416", "$90,102"],
            ["Losses", "(5,062)", "(6,533)"],
            ["Margin", "41.2%", "40.6%"],
            ["Other", "—", "(228)"],
        ],
        "paragraphs": ["Costs fell to $31.5 million."],
    }
)


@pytest.mark.parametrize(
    ("figure", "calculation"),
    [
        ("120259", "(150,416+ 90,102)/2"),
        ("66.94 %", "(150,416 - 90,102)/90,102"),
        ("-5797.5", "-(5,062 + 6,533) / 2"),
        ("1471", "-5,062-(-6,533)"),
        ("0.6 %", "(41.2%-40.6%)"),
        ("0.6 %", "41.2 - 40.6"),
        ("-228", "-228 - 0"),
        ("66.9 %", "150,416 / 90,102 - 1"),
    ],
)
def test_supported(figure: str, calculation: str) -> None:
    """Averages, growth, signs in brackets, points of per cent, and a dash for nothing."""
    assert supports(figure, calculation, TABLE)


@pytest.mark.parametrize(
    ("figure", "calculation"),
    [
        ("120269", "(150,416+ 90,102)/2"),
        ("-66.94 %", "(150,416 - 90,102)/90,102"),
        ("66.93 %", "(150,416 - 90,102)/90,102"),
        ("120259000", "(150,416+ 90,102)/2"),
        ("120309", "(150,516+ 90,102)/2"),
        ("120259", ""),
        ("120259", "by hand"),
    ],
)
def test_not_supported(figure: str, calculation: str) -> None:
    """A digit, a sign, the rounding, the scale, an operand that the evidence does not have; no calculation."""
    assert not supports(figure, calculation, TABLE)
