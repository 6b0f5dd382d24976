"""Checks what is asked for in a chart, and takes the numbers and labels out of its rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Literal, cast, get_args

Kind = Literal["bar", "stacked bar", "horizontal bar", "line", "area", "scatter", "pie", "histogram"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_POINTS = 5_000
MOST_SERIES = 12
MOST_SLICES = 24
_LONGEST_LABEL = 28
_LONGEST_TITLE = 100
_LARGEST = 1e150
"""Sums and distances of numbers beyond it would be no numbers any more."""


class ChartError(ValueError):
    """What is wrong with a chart that was asked for."""


@dataclass(frozen=True, slots=True)
class Series:
    """One column of values; None where a row has none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A chart to be drawn. `positions` are the numbers of the x column, for charts that have them."""

    kind: Kind
    labels: tuple[str, ...]
    positions: tuple[float | None, ...]
    series: tuple[Series, ...]
    title: str
    x_title: str
    y_title: str


def asked(kind: object, rows: object, x: object, y: object, titles: Mapping[str, object]) -> Asked:
    """What was asked for, checked. Raises ChartError."""
    wanted = _kind(kind)
    checked = _rows(rows)
    columns, place = _columns(wanted, x, y), "" if wanted == "histogram" else str(x or "")
    for name in (*columns, *([place] if place else [])):
        if not any(name in row for row in checked):
            known = ", ".join(map(str, checked[0]))[:300]
            raise ChartError(f"the rows have no column `{name[:60]}`; they have: {known}")
    series = tuple(Series(label(name), tuple(number(row.get(name), name) for row in checked)) for name in columns)
    _check(wanted, place, checked, series)
    return Asked(
        kind=wanted,
        labels=tuple(label(row.get(place)) if place else str(count) for count, row in enumerate(checked, 1)),
        positions=tuple(number(row.get(place), place) for row in checked) if wanted == "scatter" else (),
        series=series,
        title=_cut(str(titles.get("title") or ""), _LONGEST_TITLE),
        x_title=_cut(str(titles.get("x_title") or ""), _LONGEST_TITLE),
        y_title=_cut(str(titles.get("y_title") or ""), _LONGEST_TITLE),
    )


def number(value: object, column: str) -> float | None:
    """The value as a number to be drawn. Raises ChartError."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise InvalidOperation
        found = float(Decimal(str(value)))
    except (InvalidOperation, OverflowError):
        raise ChartError(f"column `{column}` holds `{str(value)[:40]}`, which is no number") from None
    if not math.isfinite(found) or abs(found) > _LARGEST:
        raise ChartError(f"column `{column}` holds `{str(value)[:40]}`, which cannot be drawn")
    return found


def label(value: object) -> str:
    """The value as it is written into the picture."""
    if isinstance(value, date):
        return value.isoformat()
    return "–" if value is None else _cut(str(value), _LONGEST_LABEL)


def _kind(kind: object) -> Kind:
    name = " ".join(str(kind).replace("_", " ").casefold().split())
    for one in KINDS:
        if name == one:
            return one
    raise ChartError(f"there is no kind of chart `{str(kind)[:40]}`; there are: {', '.join(KINDS)}")


def _rows(rows: object) -> Sequence[Mapping[str, object]]:
    listed = cast("Sequence[object]", rows) if isinstance(rows, list | tuple) else ()
    if not listed or not all(isinstance(row, dict) for row in listed):
        raise ChartError("`rows` has to be a list of dicts with one in it at least")
    if len(listed) > MOST_POINTS:
        raise ChartError(f"{len(listed):,} rows are more than a chart can show ({MOST_POINTS:,}): group them first")
    return cast("Sequence[Mapping[str, object]]", listed)


def _columns(kind: Kind, x: object, y: object) -> tuple[str, ...]:
    given = y or x if kind == "histogram" else y
    listed = (given,) if isinstance(given, str) else tuple(cast("Sequence[object]", given or ()))
    if not listed or not listed[0] or len(listed) > MOST_SERIES:
        raise ChartError(f"`y` has to name 1 to {MOST_SERIES} columns of values")
    return tuple(dict.fromkeys(map(str, listed)))


def _check(kind: Kind, place: str, rows: Sequence[Mapping[str, object]], series: Sequence[Series]) -> None:
    if all(value is None for one in series for value in one.values):
        raise ChartError("there is no number in what is to be drawn")
    if kind == "scatter" and not place:
        raise ChartError("a scatter needs `x`, a column of numbers")
    values = [value or 0.0 for one in series for value in one.values]
    if kind == "area" and len(series) > 1 and min(values) < 0:
        raise ChartError("areas that lie on each other cannot show negative values: draw lines")
    if kind != "pie":
        return
    if len(series) > 1 or not place:
        raise ChartError("a pie has one column of values and one of labels")
    if len(rows) > MOST_SLICES:
        raise ChartError(f"{len(rows)} slices are too many ({MOST_SLICES} at most): put the small ones together")
    if min(values) < 0 or sum(values) <= 0:
        raise ChartError("a pie cannot show negative values, nor nothing: draw bars")


def _cut(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
