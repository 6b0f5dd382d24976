"""The calculator: exact values, and a reason for everything that has none."""

import pytest

from agents.errors import ToolError
from agents.tools.builtin.arithmetic import ArithmeticFaultError, computed, written
from agents.tools.builtin.calculator import calculator
from agents.tools.function import ToolResult


def run(expression: str) -> ToolResult:
    """Compute an expression as an agent would."""
    return calculator.function(expression=expression)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("1204.50 - 1180", "24.5"),
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * -4", "-20"),
        ("-2 ** 2", "-4"),
        ("2 ** -3", "0.125"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("round(2.675, 2)", "2.68"),
        ("round(-0.5)", "-1"),
        ("round(1250, -2)", "1300"),
        ("sum(1, 2.5, -3)", "0.5"),
        ("sum([1.10, 2.20])", "3.3"),
        ("max(1, 3, 2) - min(4, 5)", "-1"),
        ("abs(-12.50)", "12.5"),
        ("1e3 + 1_000", "2000"),
        ("（１＋２）× 3 ÷ 2", "4.5"),
        ("5 − 7", "-2"),
        ("123456789012345678901234567890 * 10", "1234567890123456789012345678900"),
        ("+".join(["0.01"] * 800), "8"),
        ("٣٫٥ + ۴", "7.5"),
        ("\u200f5 + 3\u200e", "8"),
        ("= 2 * 3", "6"),
        ("(1 +\r\n2)", "3"),
    ],
)
def test_computes_exactly(expression: str, value: str) -> None:
    """Decimals as people mean them: no binary fractions, no lost digits."""
    assert run(expression).data == {"expression": expression, "value": value, "exact": True}


def test_says_when_a_value_has_no_end() -> None:
    """A third is rounded to 40 digits, said to be rounded, and given as a ratio."""
    result = run("100 / 3")
    assert result.summary == "100 / 3 = 33." + "3" * 38 + " (rounded: the exact value has no end)"
    assert result.data["exact"] is False
    assert result.data["ratio"] == "100/3"
    assert run("round(100 / 3, 2)").data["value"] == "33.33"


@pytest.mark.parametrize(
    ("expression", "what", "hint"),
    [
        ("1,234.50 + 1", "`1,234` may be one number or two", "without separators"),
        ("sum(1,200)", "`1,200` may be one number or two", "a space after a comma"),
        ("1 / 0", "a division by zero", "divisor"),
        ("5 % (1 - 1)", "a division by zero", "divisor"),
        ("0 ** -1", "a division by zero", "exponent"),
        ("2 ^ 3", "`^` is no operator here", "**"),
        ("2 ** 0.5", "no exact value", "whole exponents"),
        ("9 ** 9 ** 9", "too large", "exponents"),
        ("1e999999999", "too large", "exponents"),
        ("x + 1", "`x` is nothing that can be computed here", "Use numbers"),
        ("__import__('os').system('ls')", "nothing that can be computed here", "Use numbers"),
        ("(1).__class__", "nothing that can be computed here", "Use numbers"),
        ("[1, 2]", "nothing that can be computed here", "Use numbers"),
        ("1 if 1 else 2", "nothing that can be computed here", "Use numbers"),
        ("1 == 1", "nothing that can be computed here", "Use numbers"),
        ("True + 1", "`True` is nothing", "Use numbers"),
        ("'1' + '2'", "nothing that can be computed here", "Use numbers"),
        ("5 // 2", "nothing that can be computed here", "Use numbers"),
        ("1j", "nothing that can be computed here", "Use numbers"),
        ("10²", "cannot be read", "Use numbers"),
        ("2½", "cannot be read", "Use numbers"),
        ("12.50 €", "cannot be read", "Use numbers"),
        ("1 +", "cannot be read", "Use numbers"),
        ("== 1", "cannot be read", "Use numbers"),
        ("1 # one\n+ 2", "cannot be read", "Use numbers"),
        ("20 % of 50", "cannot be read", "per cent as / 100"),
        ("١٬٢٠٠ + 1", "`1,200` may be one number or two", "without separators"),
        ("max()", "no numbers", "at least one"),
        ("abs(1, 2)", "`abs` takes one number", "abs(x)"),
        ("round(1, 2, 3)", "`round` takes a number and the places", "round(x, 2)"),
        ("round(1, 0.5)", "no whole number", "round(x, 2)"),
        ("-" * 150 + "1", "nested too deep", "in parts"),
        ("(" * 250 + "1" + ")" * 250, "cannot be read", "Use numbers"),
        ("1\x00", "cannot be read", "Use numbers"),
    ],
)
def test_says_why_it_does_not_compute(expression: str, what: str, hint: str) -> None:
    """Nothing is guessed and nothing is run: what is no arithmetic gets a reason and a way out."""
    with pytest.raises(ToolError) as caught:
        run(expression)
    assert caught.value.code == "invalid_expression"
    assert what in caught.value.what
    assert hint in str(caught.value.mend)


def test_a_very_large_expression_does_not_take_long() -> None:
    """Powers of powers are refused before they are computed."""
    for expression in ("*".join(["9**2000"] * 300), "2**(2**(2**20))", "sum(" + ", ".join(["1/7**900"] * 200) + ")"):
        try:
            assert len(written(computed(expression))[0]) < 4_300
        except ArithmeticFaultError as fault:
            assert fault.what == "the numbers become too large"
