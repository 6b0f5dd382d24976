"""The exceptions as a CSV file for spreadsheets: one line for each break and currency, nothing in it can be run."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from agents.tools.builtin.reconcile.differences import money
from agents.tools.builtin.reconcile.matching import Matching
from agents.tools.builtin.reconcile.result import BookedRow, Break

_COLUMNS: Final = (
    "kind",
    "left_rows",
    "right_rows",
    "left_date",
    "right_date",
    "left_party",
    "right_party",
    "left_reference",
    "right_reference",
    "currency",
    "left_amount",
    "right_amount",
    "difference",
    "explanation",
    "ticket",
)
_RUNS: Final = ("=", "+", "-", "@")
_LOOKED_AT: Final = 200
_MOVES: Final = ("\t", "\r", "\n")


def write_exceptions(matching: Matching) -> bytes:
    """The file's content: UTF-8 with a byte order mark, so that spreadsheets read the letters right."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_lines(matching))
    return buffer.getvalue().encode("utf-8-sig")


def as_text(value: str) -> str:
    """The value so that a spreadsheet shows it and does not run it, nor stumble over it.

    Compatibility signs count as what they stand for: some spreadsheets run a cell that begins with a full-width `=`.
    """
    kept = "".join(char for char in value if char in _MOVES or unicodedata.category(char) not in ("Cc", "Cs"))
    visible = "".join(char for char in kept[:_LOOKED_AT] if unicodedata.category(char) != "Cf")
    runs = unicodedata.normalize("NFKC", visible).lstrip().startswith(_RUNS)
    return f"'{kept}" if runs or kept.startswith(_MOVES) else kept


def _lines(matching: Matching) -> Iterator[list[str]]:
    lefts = {one.row: one for one in matching.rows.left}
    rights = {one.row: one for one in matching.rows.right}
    for found in matching.result.breaks:
        left, right = [lefts[row] for row in found.left], [rights[row] for row in found.right]
        for currency in found.difference:
            yield _line(found, left, right, currency)


def _line(found: Break, left: list[BookedRow], right: list[BookedRow], currency: str) -> list[str]:
    texts = [
        found.kind,
        _joined(str(row) for row in found.left),
        _joined(str(row) for row in found.right),
        _joined(one.date.isoformat() for one in left if one.date),
        _joined(one.date.isoformat() for one in right if one.date),
        _joined(one.party for one in left),
        _joined(one.party for one in right),
        _joined(one.reference for one in left),
        _joined(one.reference for one in right),
        currency,
    ]
    # Amounts are our own decimals: a minus in front of them is a number, not a formula.
    amounts = [_sum(left, currency), _sum(right, currency), money(found.difference[currency])]
    return [*map(as_text, texts), *amounts, as_text(found.explanation), as_text(found.ticket or "")]


def _sum(bookings: list[BookedRow], currency: str) -> str:
    mine = [one.amount for one in bookings if one.currency == currency]
    return money(sum(mine[1:], mine[0])) if mine else ""


def _joined(values: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(value for value in values if value))
