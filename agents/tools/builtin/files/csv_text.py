"""Writes rows as CSV that any spreadsheet reads, and none takes for formulas."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from agents.content import plain

_FORMULA = ("=", "@", "+", "-", "\t", "\r")


class NoRowsError(ValueError):
    """A value that is no table: rows are objects, or lists."""


def csv_text(rows: object) -> str:
    """The rows as CSV, the names of their fields first. Raises NoRowsError.

    A text that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay as they are.
    """
    if not isinstance(rows, list | tuple) or not rows:
        raise NoRowsError("rows are wanted: a list of objects, or of lists, with one in it at least")
    listed = [_row(row, place) for place, row in enumerate(cast("Sequence[object]", rows), 1)]
    names = list(dict.fromkeys(name for row in listed for name in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    if not all(isinstance(name, int) for name in names):
        writer.writerow([_cell(str(name)) for name in names])
    writer.writerows([_cell(row.get(name)) for name in names] for row in listed)
    return out.getvalue()


def _row(row: object, place: int) -> dict[str | int, object]:
    if isinstance(row, Mapping):
        return {str(name): value for name, value in cast("Mapping[object, object]", row).items()}
    if isinstance(row, list | tuple):
        return dict(enumerate(cast("Sequence[object]", row)))
    raise NoRowsError(f"row {place} is neither an object nor a list")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    said: Any = plain(value)
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    harmless = not isinstance(value, str) or not text.startswith(_FORMULA) or _is_number(text)
    return text if harmless else f"'{text}"


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
