"""Works out sums, differences, products and ratios exactly."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

Operator = Literal["+", "-", "*", "/"]
Piece = Operator | Literal["(", ")"] | int
"""An operator, a bracket, or which operand."""

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}


def balanced(pieces: Sequence[Piece]) -> list[Piece]:
    """Without the brackets that open or close around more than the expression."""
    kept: list[Piece] = []
    opened: list[int] = []
    for piece in pieces:
        if piece == "(":
            opened.append(len(kept))
        elif piece == ")":
            if not opened:
                continue
            opened.pop()
        kept.append(piece)
    unclosed = set(opened)
    return [piece for position, piece in enumerate(kept) if position not in unclosed]


def evaluate(pieces: Sequence[Piece], amounts: Sequence[Fraction]) -> Fraction | None:
    """The value of an expression over `amounts`; None when it is none, or divides by zero."""
    stack = _Stack()
    previous: Piece = "("
    for piece in pieces:
        if isinstance(piece, int):
            stack.values.append(amounts[piece])
        else:
            if piece == "-" and previous == "(":
                stack.values.append(Fraction(0))
            stack.take(piece)
        previous = piece
    stack.settle(0)
    return stack.values[0] if len(stack.values) == 1 and not stack.broken else None


class _Stack:
    """Dijkstra's shunting yard: values, and the operators that wait for their right side."""

    def __init__(self) -> None:
        self.values: list[Fraction] = []
        self.waiting: list[Literal["+", "-", "*", "/", "(", ")"]] = []
        self.broken = False

    def take(self, piece: Literal["+", "-", "*", "/", "(", ")"]) -> None:
        if piece == ")":
            self.settle(1)
            if self.waiting:
                self.waiting.pop()
        elif piece != "(":
            self.settle(_PRECEDENCE[piece])
        if piece != ")":
            self.waiting.append(piece)

    def settle(self, precedence: int) -> None:
        """Apply what waits and binds at least as tightly, up to the last bracket."""
        while self.waiting and _PRECEDENCE.get(self.waiting[-1], 0) >= max(precedence, 1):
            self._apply(self.waiting.pop())

    def _apply(self, operator: str) -> None:
        if len(self.values) < 2:
            self.broken = True
            return
        right, left = self.values.pop(), self.values.pop()
        if operator == "/" and right == 0:
            self.broken = True
        elif operator == "/":
            self.values.append(left / right)
        else:
            self.values.append(left + right if operator == "+" else left - right if operator == "-" else left * right)
