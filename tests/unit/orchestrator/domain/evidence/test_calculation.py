"""Calculations that a text writes out are found and worked out exactly."""

from fractions import Fraction

import pytest

from orchestrator.domain.evidence import check
from orchestrator.domain.evidence.arithmetic import balanced, evaluate
from orchestrator.domain.evidence.calculation import Calculation, calculations, shares
from orchestrator.domain.evidence.figures import scan


def found(text: str) -> list[Calculation]:
    """The calculations of a text."""
    read = scan(text)
    return list(calculations(read.rest, read.figures, 0, len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "100 − 30 = 70",
        "100 - 30 = 70",
        "100-30=70",
        "100 -30 = 70",
        "Left total 1,234.56 EUR − right total 1,000.00 EUR = difference 234.56 EUR",
        "(709 + 707 + 429) / 3 = 615",
        "[(1,062+1,018)/2] - [(1,018+950)/2] = 56",
        "-(5,062 + 6,533 + 18,494) / 3 = -10,029.67",
        "-1,421-(-78,816) = 77,395",
        "($1,750-$1,250)/$1,250 = 40 %",
        "22,224 / 30,890 - 1 = -28.05 %",
        "34 % + 11 % = 45 %",
        "27.4 − 33.5 = −6.1 %",
        "(62 + 73) / 2 = 67.5 %",
        "3 × 4.5 = 13.5",
        "2 / 3 ≈ 0.67",
        "1.234,50 + 1,50 = 1.236,00",
        "**100** − **30** = **70**",
        "100 [E1.1] − 30 [E2.1] = 70",
        "1.2 thousand + 300 = 1,500",
        "(100 − 30 = 70)",
    ],
)
def test_a_calculation_that_holds(text: str) -> None:
    """Words, currencies, citations and brackets around it do not matter."""
    [calculation] = found(text)
    assert calculation.holds()


@pytest.mark.parametrize(
    "text",
    [
        "100 − 30 = 71",
        "100.00 − 30.00 = 70.01",
        "100 + 30 = 70",
        "(709 + 707 + 429) / 3 = 616",
        "($1,750-$1,250)/$1,250 = 41 %",
        "($1,750-$1,250)/$1,250 = -40 %",
        "27.4 − 33.5 = 6.1 %",
        "100 / 0 = 5",
    ],
)
def test_a_calculation_that_does_not_hold(text: str) -> None:
    """A sum is exact to its last digit, a ratio as far as it is written."""
    [calculation] = found(text)
    assert not calculation.holds()


@pytest.mark.parametrize(
    "text", ["n = 120", "100 − 30", "12 rows, 30 = x", "a == 5 - 3", "x >= 5 − 3", "5 = 5", "a-b = 3"]
)
def test_what_is_no_calculation(text: str) -> None:
    """At least two figures with an operator stand before the sign of equality."""
    assert found(text) == []


def test_a_calculation_begins_at_its_clause() -> None:
    """Figures before it in the sentence have no part in it."""
    [calculation] = found("Of 120 rows, 100 − 30 = 70 are left")
    assert [operand.run for operand in calculation.operands] == ["100", "30"]


def test_two_calculations_in_one_line() -> None:
    """Each is found with its own result."""
    assert [one.result.run for one in found("1 + 2 = 3; 4 + 5 = 9")] == ["3", "9"]


def test_constants_need_no_source() -> None:
    """The divisor that counts the terms, × 100, and the 1 of a growth."""
    [average] = found("(709 + 707 + 429) / 3 = 615")
    [growth] = found("22,224 / 30,890 - 1 = -28.05 %")
    [percentage] = found("5 / 8 * 100 = 62.5")
    [ratio] = found("100 / 30 = 3.33")
    assert [sorted(one.constants()) for one in (average, growth, percentage, ratio)] == [[3], [2], [2], []]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("5 of 7 rows (71.4 %)", True),
        ("105 out of the 120, i.e. 87.5 %", False),
        ("5 of 7, or 71.4 %", True),
        ("5 of 7 (71.5 %)", False),
    ],
)
def test_shares(text: str, holds: bool) -> None:
    """`a of b (c %)` is a ratio, as rounded as it is written; a full stop parts it."""
    read = scan(text)
    assert any(share.holds() for share in shares(read.rest, read.figures)) is holds


def test_an_expression_that_is_none_has_no_value() -> None:
    """Neither has a division by zero."""
    amounts = [Fraction(6), Fraction(0)]
    assert evaluate((0, "/", 1), amounts) is None
    assert evaluate((0, "+"), amounts) is None
    assert evaluate((0, 1), amounts) is None
    assert evaluate((), amounts) is None


def test_precedence_and_brackets() -> None:
    """Products bind before sums, from left to right."""
    amounts = [Fraction(2), Fraction(3), Fraction(4)]
    assert evaluate((0, "+", 1, "*", 2), amounts) == 14
    assert evaluate(("(", 0, "+", 1, ")", "*", 2), amounts) == 20
    assert evaluate((2, "-", 1, "-", 0), amounts) == -1
    assert evaluate(("-", 0, "+", 1), amounts) == 1
    assert balanced(("(", 0, "+", 1, ")", ")")) == ["(", 0, "+", 1, ")"]
    assert balanced(("(", 0, "+", 1)) == [0, "+", 1]


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "  -"])
def test_a_list_mark_is_no_sign(mark: str) -> None:
    """`- 1 + 1 = 2` is a list item that adds two ones."""
    assert check(f"{mark} 1 + 1 = 2 [E2.1]", {"E2.1": {"summary": "1 + 1 = 2"}}) == ()
