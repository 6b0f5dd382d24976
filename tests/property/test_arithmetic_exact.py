"""The calculator agrees with Python's own exact numbers, whatever the expression."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.arithmetic import ArithmeticFaultError, computed, rounded, written

NUMBERS = st.decimals(min_value=0, max_value=10**12, allow_nan=False, allow_infinity=False, places=4)
Expression = tuple[str, Fraction | None]
"""A text and its value; None: it divides by zero somewhere."""
OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
}


def combined(left: Expression, sign: str, right: Expression) -> Expression:
    """Two expressions with an operator between them."""
    text = f"({left[0]}) {sign} ({right[0]})"
    if left[1] is None or right[1] is None or (sign in "/%" and right[1] == 0):
        return text, None
    return text, OPERATIONS[sign](left[1], right[1])


def negated(one: Expression) -> Expression:
    """An expression with a minus before it."""
    return f"-({one[0]})", None if one[1] is None else -one[1]


LEAVES = NUMBERS.map(lambda number: (str(number), Fraction(number)))
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.builds(combined, inner, st.sampled_from("+-*/%"), inner) | st.builds(negated, inner),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_equals_exact_fractions(expression: Expression) -> None:
    """No operation loses a digit; a division by zero is said, never computed."""
    text, value = expression
    try:
        assert computed(text) == value
    except ArithmeticFaultError as fault:
        assert value is None
        assert fault.what == "a division by zero"


@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_sums_amounts_as_decimals_do(amounts: list[Decimal]) -> None:
    """A sum of amounts is the sum of the decimals, to the cent."""
    listed = ", ".join(str(amount) for amount in amounts)
    value, exact = written(computed(f"sum({listed})"))
    assert exact
    assert Decimal(value) == sum(amounts, Decimal(0))
    assert computed(f"max({listed}) - min({listed})") == Fraction(max(amounts) - min(amounts))


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15), st.integers(0, 8))
def test_rounds_as_books_do(value: Decimal, places: int) -> None:
    """Halves go away from zero, as `ROUND_HALF_UP` of the decimal module."""
    expected = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=400))
    assert rounded(Fraction(value), places) == Fraction(expected)


@given(st.fractions())
def test_writes_what_it_computed(value: Fraction) -> None:
    """An exact text is the value; a rounded one differs by less than its last digit and has 40 good ones."""
    text, exact = written(value)
    difference = abs(Fraction(text) - value)
    if exact:
        assert difference == 0
    else:
        assert difference <= abs(value) * Fraction(1, 10**39)
    assert "e" not in text.lower()


@given(st.text(st.sampled_from("0123456789.+-*/%() ,eE_rsumxab[]")) | st.text())
def test_any_text_is_computed_or_refused(text: str) -> None:
    """Whatever a model sends, there is a number or a reason, never another exception."""
    try:
        value = computed(text)
    except ArithmeticFaultError as fault:
        assert fault.what
        assert fault.hint
    else:
        assert written(value)[0]
