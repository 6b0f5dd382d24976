"""Draws each kind of chart: its marks in the right place, to scale."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from agents.tools.builtin.code.charts import frame
from agents.tools.builtin.code.charts.asking import Asked, Kind
from agents.tools.builtin.code.charts.canvas import Canvas, width_of
from agents.tools.builtin.code.charts.frame import Area, color
from agents.tools.builtin.code.charts.scale import Scale, said, span, ticks

WIDTH, HEIGHT = 900.0, 480.0
_TALLEST = 2_400.0
_BAR = 0.8
_MOST_BINS = 30
_FEW = 60
"""So many points are marked with a dot each."""
Point = tuple[float, float]


def draw(chart: Asked) -> bytes:
    """The chart as SVG; a pure function of it."""
    drawn: dict[Kind, Callable[[Asked], Canvas]] = {
        "bar": _bars,
        "stacked bar": _stacked,
        "horizontal bar": _flat,
        "line": _lines,
        "area": _areas,
        "scatter": _scatter,
        "pie": _pie,
        "histogram": _histogram,
    }
    return drawn[chart.kind](chart).bytes()


def _bars(chart: Asked) -> Canvas:
    canvas, room, scale = _upright(chart, *span(_all(chart), zero=True))
    slot = room.width / len(chart.labels)
    width = slot * _BAR / len(chart.series)
    for order, one in enumerate(chart.series):
        for place, value in enumerate(one.values):
            if value is not None:
                x = room.left + place * slot + slot * (1 - _BAR) / 2 + order * width
                _bar(
                    canvas,
                    x,
                    width * 0.94,
                    (scale.at(0), scale.at(value)),
                    color(order),
                    told=_told(chart, order, place),
                )
    return canvas


def _stacked(chart: Asked) -> Canvas:
    columns = [[one.values[place] or 0.0 for one in chart.series] for place in range(len(chart.labels))]
    ups = [sum(value for value in column if value > 0) for column in columns]
    downs = [sum(value for value in column if value < 0) for column in columns]
    canvas, room, scale = _upright(chart, *span([*ups, *downs], zero=True))
    slot = room.width / len(columns)
    for place, column in enumerate(columns):
        heights = {True: 0.0, False: 0.0}
        for order, value in enumerate(column):
            if value:
                start = heights[value > 0]
                heights[value > 0] += value
                ends = (scale.at(start), scale.at(start + value))
                x = room.left + (place + (1 - _BAR) / 2) * slot
                _bar(canvas, x, slot * _BAR, ends, color(order), told=_told(chart, order, place))
    return canvas


def _flat(chart: Asked) -> Canvas:
    count = len(chart.labels)
    canvas = Canvas(WIDTH, min(_TALLEST, max(HEIGHT, 120 + 14.0 * count * len(chart.series))))
    low, high = span(_all(chart), zero=True)
    left = frame.left_of(chart.labels, chart.x_title)
    names = [one.name for one in chart.series]
    room = frame.area(canvas, title=chart.title, left=left, bottom=frame.below(18, chart.y_title), names=names)
    scale = Scale(low, high, room.left, room.right)
    frame.x_axis(canvas, room, scale, chart.y_title)
    frame.y_labels(canvas, room, chart.labels, chart.x_title)
    slot = room.height / count
    height = slot * _BAR / len(chart.series)
    for order, one in enumerate(chart.series):
        for place, value in enumerate(one.values):
            if value is not None:
                y = room.top + place * slot + slot * (1 - _BAR) / 2 + order * height
                start, end = sorted((scale.at(0), scale.at(value)))
                canvas.rect(start, y, end - start, height * 0.94, color(order), told=_told(chart, order, place))
    return canvas


def _lines(chart: Asked) -> Canvas:
    canvas, room, scale = _upright(chart, *span(_all(chart), zero=False))
    slot = room.width / len(chart.labels)
    for order, one in enumerate(chart.series):
        places = [
            None if value is None else (room.left + (place + 0.5) * slot, scale.at(value))
            for place, value in enumerate(one.values)
        ]
        for stretch in _stretches(places):
            canvas.polyline(stretch, color(order))
        for place, point in enumerate(places):
            if point is not None and len(places) <= _FEW:
                canvas.dot(*point, 3, color(order), _told(chart, order, place))
    return canvas


def _areas(chart: Asked) -> Canvas:
    """Series on top of each other; the axis begins at nothing, since a filled area says how much there is."""
    sums = [[0.0] * len(chart.labels)]
    for one in chart.series:
        sums.append([below + (value or 0.0) for below, value in zip(sums[-1], one.values, strict=True)])
    canvas, room, scale = _upright(chart, *span((value for line in sums for value in line), zero=True))
    slot = room.width / len(chart.labels)
    for order, one in enumerate(chart.series):
        lower, upper = (
            [(room.left + (place + 0.5) * slot, scale.at(value)) for place, value in enumerate(line)]
            for line in (sums[order], sums[order + 1])
        )
        canvas.polygon([*upper, *reversed(lower)], color(order), one.name)
    return canvas


def _scatter(chart: Asked) -> Canvas:
    canvas = Canvas(WIDTH, HEIGHT)
    low, high = span(_all(chart), zero=False)
    left = frame.left_of([said(value) for value in ticks(low, high, 8)], chart.y_title)
    names = [one.name for one in chart.series]
    room = frame.area(canvas, title=chart.title, left=left, bottom=frame.below(18, chart.x_title), names=names)
    across = Scale(*span(chart.positions, zero=False), room.left, room.right)
    upward = Scale(low, high, room.bottom, room.top)
    frame.x_axis(canvas, room, across, chart.x_title)
    frame.y_axis(canvas, room, upward, chart.y_title)
    for order, one in enumerate(chart.series):
        for x, y in zip(chart.positions, one.values, strict=True):
            if x is not None and y is not None:
                canvas.dot(across.at(x), upward.at(y), 3.5, color(order), f"{said(x)}, {said(y)}")
    return canvas


def _histogram(chart: Asked) -> Canvas:
    values = [[value for value in one.values if value is not None] for one in chart.series]
    low, high = min(map(min, filter(None, values))), max(map(max, filter(None, values)))
    if low == high:
        low, high = span((low,), zero=False)
    most = max(map(len, values))
    count = min(_MOST_BINS, max(1, math.ceil(math.log2(most) + 1)))
    width = (high - low) / count
    bins = [[0] * count for _ in values]
    for order, line in enumerate(values):
        for value in line:
            bins[order][min(count - 1, int((value - low) / width))] += 1
    canvas = Canvas(WIDTH, HEIGHT)
    top = max(map(max, bins)) * 1.05
    left = frame.left_of([said(round(top))], chart.y_title)
    names = [one.name for one in chart.series]
    room = frame.area(canvas, title=chart.title, left=left, bottom=frame.below(18, chart.x_title), names=names)
    across, upward = Scale(low, high, room.left, room.right), Scale(0, top, room.bottom, room.top)
    frame.y_axis(canvas, room, upward, chart.y_title, whole=True)
    frame.x_axis(canvas, room, across, chart.x_title)
    for order, counts in enumerate(bins):
        for place, number in enumerate(counts):
            x = across.at(low + place * width)
            told = f"{said(low + place * width)} to {said(low + (place + 1) * width)}: {number}"
            wide = (room.width / count - 1) / len(bins)
            _bar(canvas, x + order * wide, wide, (upward.at(0), upward.at(number)), color(order), told=told)
    return canvas


def _pie(chart: Asked) -> Canvas:
    canvas = Canvas(WIDTH, HEIGHT)
    values = [value or 0.0 for value in chart.series[0].values]
    total = sum(values)
    legend = [
        f"{label}: {said(value)} ({value / total:.1%})" for label, value in zip(chart.labels, values, strict=True)
    ]
    room = frame.area(canvas, title=chart.title, left=max(map(width_of, legend)) + 40, bottom=0, names=())
    radius = min(room.width, room.height) / 2 - 8
    center = ((room.left + room.right) / 2, (room.top + room.bottom) / 2)
    turned = 0.0
    for order, (value, told) in enumerate(zip(values, legend, strict=True)):
        y = room.top + 8 + order * min(20.0, room.height / len(legend))
        canvas.rect(20, y, 12, 12, color(order))
        canvas.text(38, y + 10, told)
        if value:
            canvas.path(_slice(center, radius, turned, turned + value / total), color(order), told)
            turned += value / total
    return canvas


def _slice(center: Point, radius: float, start: float, end: float) -> str:
    """The shape of a slice between two shares of the circle."""
    x, y = center
    if end - start > 1 - 1e-9:
        half = f"a{radius:.2f},{radius:.2f} 0 1 1"
        return f"M{x - radius:.2f},{y:.2f}{half} {2 * radius:.2f},0{half} {-2 * radius:.2f},0Z"
    ends = [
        (x + radius * math.sin(2 * math.pi * share), y - radius * math.cos(2 * math.pi * share))
        for share in (start, end)
    ]
    (x1, y1), (x2, y2) = ends
    large = int(end - start > 0.5)
    return f"M{x:.2f},{y:.2f}L{x1:.2f},{y1:.2f}A{radius:.2f},{radius:.2f} 0 {large} 1 {x2:.2f},{y2:.2f}Z"


def _upright(chart: Asked, low: float, high: float) -> tuple[Canvas, Area, Scale]:
    """A canvas with labels below and numbers at the left."""
    canvas = Canvas(WIDTH, HEIGHT)
    left = frame.left_of([said(value) for value in ticks(low, high, 8)], chart.y_title)
    left = max(left, frame.left_of_labels(chart.labels, WIDTH - left - 40))
    _, labels = frame.labels_below(chart.labels, WIDTH - left - 40)
    names = [one.name for one in chart.series]
    room = frame.area(canvas, title=chart.title, left=left, bottom=frame.below(labels, chart.x_title), names=names)
    scale = Scale(low, high, room.bottom, room.top)
    frame.y_axis(canvas, room, scale, chart.y_title)
    frame.x_labels(canvas, room, chart.labels, chart.x_title)
    return canvas, room, scale


def _bar(canvas: Canvas, x: float, width: float, ends: Point, fill: str, *, told: str) -> None:
    top, bottom = sorted(ends)
    canvas.rect(x, top, width, bottom - top, fill, told=told)


def _told(chart: Asked, order: int, place: int) -> str:
    """What a mark says to whoever points at it."""
    value = chart.series[order].values[place]
    name = f", {chart.series[order].name}" if len(chart.series) > 1 else ""
    return f"{chart.labels[place]}{name}: {said(value or 0.0)}"


def _all(chart: Asked) -> Iterator[float | None]:
    return (value for one in chart.series for value in one.values)


def _stretches(points: Sequence[Point | None]) -> Iterator[list[Point]]:
    """Runs of points without a gap."""
    for present, run in groupby(points, key=lambda point: point is not None):
        if present:
            yield [point for point in run if point is not None]
