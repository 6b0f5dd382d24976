"""Markdown that says what it is given: names from files are escaped, figures grouped, and lines cite their source."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.differences import money

_MARKS: Final = re.compile(r"([\\`*_{}\[\]#|~!$])")
_ENTITY: Final = re.compile(r"&(?=#?\w+;)")
_DIGIT: Final = re.compile(r"\d")
_MINUS: Final = "-"


def safe(text: str) -> str:
    """Text from outside as one line of plain words: no mark-up, no line breaks, no control characters."""
    one_line = " ".join(text.split())
    visible = "".join(char for char in one_line if unicodedata.category(char) not in ("Cc", "Cf", "Co", "Cs"))
    escaped = _MARKS.sub(r"\\\1", _ENTITY.sub("&amp;", visible)).replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"^([-+=])", r"\\\1", escaped)


def amount(value: Decimal) -> str:
    """Money as people read it: `-12,345.60`."""
    whole, _, decimals = money(abs(value)).partition(".")
    sign = _MINUS if value < 0 else ""
    return f"{sign}{int(whole):,}.{decimals}"


def amounts(sums: Mapping[str, Decimal]) -> str:
    """Money per currency in one cell."""
    return "; ".join(f"{amount(value)} {safe(currency)}" for currency, value in sorted(sums.items())) or "0.00"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], cite: str | None, right: Iterable[str] = ()
) -> list[str]:
    """A table with the columns named in `right` set flush right; with `cite`, each row ends in its source."""
    flush = set(right)
    rule = ["---:" if head in flush else "---" for head in heads]
    if cite is None:
        return [_row(heads), _row(rule), *map(_row, rows)]
    return [_row([*heads, "Source"]), _row([*rule, "---"]), *(_row([*row, f"[{cite}]"]) for row in rows)]


def cited(lines: Iterable[str], cite: str) -> list[str]:
    """The lines, each with a source where it holds a figure and names none yet."""
    mark = f"[{cite}]"
    return [f"{line} {mark}" if _DIGIT.search(line) and mark not in line else line for line in lines]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
