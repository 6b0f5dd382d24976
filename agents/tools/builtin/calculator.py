"""The tool `calculator`: exact arithmetic on decimals, so that no model has to compute."""

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from agents.errors import ToolError
from agents.tools.builtin.arithmetic import ArithmeticFaultError, computed, written
from agents.tools.function import ToolResult, tool


@tool(
    "calculator",
    effect="read",
    use_when="a sum, a difference, a share or any other figure has to be computed",
    not_when="a tool has computed it already, or the numbers are rows of a table that a tool can sum up",
    seconds=5,
)
def calculator(
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4_000,
            description="With + - * / ** %, parentheses, round(x, places), sum(…), min(…), max(…), abs(x).",
            examples=["round((1204.50 - 1180) / 1180 * 100, 2)"],
        ),
    ],
) -> ToolResult:
    """Compute an expression exactly; halves are rounded away from zero."""
    try:
        value = computed(expression)
    except ArithmeticFaultError as fault:
        raise ToolError("invalid_expression", fault.what, hint=fault.hint) from None
    text, exact = written(value)
    said = f"{_short(expression)} = {_short(text)}"
    if not exact:
        said += " (rounded: the exact value has no end)"
    return ToolResult(
        summary=said, data={"expression": expression, "value": text, "exact": exact, **_ratio(value, exact)}
    )


def _ratio(value: Fraction, exact: bool) -> dict[str, str]:
    """The exact value where decimals cannot say it."""
    return {} if exact else {"ratio": f"{value.numerator}/{value.denominator}"}


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
