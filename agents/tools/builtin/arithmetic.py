"""Computes arithmetic expressions exactly, as fractions; knows numbers, operators and a few functions, and no names."""

import ast
import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Final

DIGITS: Final = 40
"""Significant digits of a value that decimals cannot write exactly."""
_MOST_BITS = 10_000
"""With `_MOST_PLACES` below the 4,300 digits to which Python itself writes integers."""
_MOST_EXPONENT = 2_000
_MOST_PLACES = 1_000
_DEEPEST = 100
# Full-width forms and signs only: NFKC would make 102 of 10² and 21/2 of 2½.
_SIGNS = str.maketrans(
    {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)}
    | {"×": "*", "÷": "/", "−": "-", "–": "-", "\u3000": " ", "\xa0": " ", "\u202f": " ", "٫": ".", "٬": ","}
    | dict.fromkeys(
        map(chr, (0x61C, 0x200B, *range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A))), ""
    )
)
"""Signs as they are computed with; marks of the direction of writing are none."""
_DIGIT = re.compile(r"[^\D0-9]")
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
_PER_CENT = "`%` is the remainder of a division here: write per cent as / 100."
_ALLOWED = "Use numbers, + - * / ** %, parentheses, round, sum, min, max and abs."


class ArithmeticFaultError(Exception):
    """An expression that cannot be computed; `what` says why, `hint` what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def computed(expression: str) -> Fraction:
    """The exact value. Raises ArithmeticFaultError."""
    text = _plain(expression)
    if found := _THOUSANDS.search(text):
        what = f"`{found[0]}` may be one number or two"
        raise ArithmeticFaultError(what, "Write numbers without separators (1234.56), and a space after a comma.")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        hint = f"{_PER_CENT} {_ALLOWED}" if "%" in text else _ALLOWED
        raise ArithmeticFaultError(f"the expression cannot be read: {said}", hint) from None
    return _Reading(text).value(tree.body, 0)


def _plain(expression: str) -> str:
    """Digits of any script as those that Python reads; without the `=` that spreadsheets begin with."""
    text = _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), expression.translate(_SIGNS))
    return text.replace("\r\n", "\n").replace("\r", "\n").strip().removeprefix("=").strip()


def written(value: Fraction) -> tuple[str, bool]:
    """The value as a decimal text without exponent, and whether that is exact; else it has `DIGITS` good digits."""
    rest = value.denominator
    places = 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        places = max(places, count)
    if rest == 1 and places <= _MOST_PLACES:
        return _fixed(value, places), True
    whole = len(str(abs(value.numerator) // value.denominator)) if abs(value) >= 1 else 0
    zeros = 0 if whole else len(str(value.denominator)) - len(str(abs(value.numerator)))
    return _fixed(rounded(value, max(0, DIGITS - whole + zeros)), max(0, DIGITS - whole + zeros)), False


def rounded(value: Fraction, places: int) -> Fraction:
    """Rounded to decimal places, halves away from zero, as books are kept."""
    scale = Fraction(10) ** places
    size = abs(value) * scale
    whole = (2 * size.numerator + size.denominator) // (2 * size.denominator)
    return (Fraction(whole) if value >= 0 else Fraction(-whole)) / scale


def _fixed(value: Fraction, places: int) -> str:
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    if places == 0:
        return sign + digits
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


class _Reading:
    """Computes a syntax tree; `text` is where the numbers are read from, since Python would round them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = tuple(line.encode() for line in text.split("\n"))

    def value(self, node: ast.expr, depth: int) -> Fraction:
        if depth > _DEEPEST:
            raise ArithmeticFaultError("the expression is nested too deep", "Compute it in parts.")
        match node:
            case ast.Constant():
                return self._number(node)
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(node.operand, depth + 1)
            case ast.UnaryOp(op=ast.UAdd()):
                return self.value(node.operand, depth + 1)
            case ast.BinOp():
                return self._chain(node, depth)
            case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS and not node.keywords:
                return _FUNCTIONS[name](self._arguments(node.args, depth))
            case _:
                raise self._unknown(node)

    def _arguments(self, nodes: Sequence[ast.expr], depth: int) -> list[Fraction]:
        if len(nodes) == 1 and isinstance(nodes[0], ast.List | ast.Tuple):
            nodes = nodes[0].elts
        return [self.value(node, depth + 1) for node in nodes]

    def _number(self, node: ast.Constant) -> Fraction:
        # `ast.get_source_segment` cuts the whole text into lines again for each number.
        text = self._lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise self._unknown(node)
        try:
            number = Decimal(int(text, 0)) if text[:2].lower() in {"0x", "0b", "0o"} else Decimal(text)
        except (InvalidOperation, ValueError):
            raise self._unknown(node) from None
        if not number.is_finite() or abs(number.adjusted()) > _MOST_EXPONENT:
            raise _too_large()
        return Fraction(number)

    def _chain(self, node: ast.BinOp, depth: int) -> Fraction:
        """`a + b - c …` hangs together to the left, as long as it likes; only real nesting counts as depth."""
        operations = [node]
        while isinstance(operations[-1].left, ast.BinOp):
            operations.append(operations[-1].left)
        value = self.value(operations[-1].left, depth + 1)
        for operation in reversed(operations):
            value = _bounded(self._applied(operation, value, self.value(operation.right, depth + 1)))
        return value

    def _applied(self, node: ast.BinOp, left: Fraction, right: Fraction) -> Fraction:
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / _divisor(right)
            case ast.Mod():
                return left % _divisor(right)
            case ast.Pow():
                return _power(left, right)
            case ast.BitXor():
                raise ArithmeticFaultError("`^` is no operator here", "Write a power as **.")
            case _:
                raise self._unknown(node)

    def _unknown(self, node: ast.expr) -> ArithmeticFaultError:
        text = ast.get_source_segment(self._text, node) or ""
        return ArithmeticFaultError(f"`{text[:60]}` is nothing that can be computed here", _ALLOWED)


def _divisor(value: Fraction) -> Fraction:
    if value == 0:
        raise ArithmeticFaultError("a division by zero", "Check the divisor.")
    return value


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise ArithmeticFaultError("an exponent that is no whole number has no exact value", "Use whole exponents.")
    if base == 0 and exponent < 0:
        raise ArithmeticFaultError("a division by zero", "Check the exponent of 0.")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) > _MOST_EXPONENT or bits * abs(exponent) > _MOST_BITS:
        raise _too_large()
    return base ** int(exponent)


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise _too_large()
    return value


def _too_large() -> ArithmeticFaultError:
    return ArithmeticFaultError("the numbers become too large", "Check the exponents, or compute it in parts.")


def _round(values: list[Fraction]) -> Fraction:
    value, places = _one_or_two(values, "round")
    if places.denominator != 1 or abs(places) > _MOST_PLACES:
        raise ArithmeticFaultError("the places of `round` are no whole number that makes sense", "Such as round(x, 2).")
    return rounded(value, int(places))


def _one_or_two(values: list[Fraction], name: str) -> tuple[Fraction, Fraction]:
    if len(values) not in {1, 2}:
        raise ArithmeticFaultError(f"`{name}` takes a number and the places", f"Write {name}(x, 2).")
    return values[0], values[1] if len(values) == 2 else Fraction(0)


def _abs(values: list[Fraction]) -> Fraction:
    if len(values) != 1:
        raise ArithmeticFaultError("`abs` takes one number", "Write abs(x).")
    return abs(values[0])


def _sum(values: list[Fraction]) -> Fraction:
    return _bounded(sum(values, Fraction(0)))


def _least(values: list[Fraction]) -> Fraction:
    return min(_some(values))


def _greatest(values: list[Fraction]) -> Fraction:
    return max(_some(values))


def _some(values: list[Fraction]) -> list[Fraction]:
    if not values:
        raise ArithmeticFaultError("the least or greatest of no numbers", "Give at least one number.")
    return values


_FUNCTIONS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "abs": _abs,
    "max": _greatest,
    "min": _least,
    "round": _round,
    "sum": _sum,
}
