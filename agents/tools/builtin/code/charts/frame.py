"""Draws what stands around the marks of a chart: title, axes with their numbers and labels, legend."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agents.tools.builtin.code.charts.canvas import Canvas, width_of
from agents.tools.builtin.code.charts.scale import Scale, said, ticks

COLORS = (
    *("#3366cc", "#dc7633", "#2e8b57", "#c0392b", "#8e44ad", "#b7950b", "#148f9f", "#d6336c", "#5d6d7e", "#6b8e23"),
    *("#1b2a5e", "#7d4a1e", "#9db8ee", "#f3b98f", "#8fd0ab", "#e89b92", "#cda3dd", "#e6d27a", "#8ad3dc", "#f2a1bd"),
    *("#b4bec8", "#bcd58b", "#4a1942", "#0b5345"),
)
"""One for each series, and for each slice, that a chart may have."""
_GRID, _AXIS = "#d9d9d9", "#555555"
_EDGE = 16.0
_LINE = 18.0
_SWATCH = 12.0
_TURNED = -35.0
_APART = 23.0
"""How far turned labels stand from each other, so that their lines do not touch."""


@dataclass(frozen=True, slots=True)
class Area:
    """Where the marks are drawn."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


def color(place: int) -> str:
    """The color of a series."""
    return COLORS[place % len(COLORS)]


def area(canvas: Canvas, *, title: str, left: float, bottom: float, names: Sequence[str]) -> Area:
    """The room for the marks, when so much is needed left of it and below; title and legend are drawn."""
    top = _EDGE
    if title:
        canvas.text(canvas.width / 2, 28, title, anchor="middle", size=17, bold=True)
        top = 48.0
    legend = _legend(canvas, names) if len(names) > 1 else 0.0
    return Area(_EDGE + left, top, canvas.width - 1.5 * _EDGE, canvas.height - _EDGE - legend - bottom)


def y_axis(canvas: Canvas, room: Area, scale: Scale, title: str, *, whole: bool = False) -> None:
    """Numbers at the left, with a line through the chart for each; `whole` ones where things are counted."""
    for value in ticks(scale.low, scale.high, 8):
        if whole and value != round(value):
            continue
        y = scale.at(value)
        canvas.line((room.left, y), (room.right, y), _AXIS if value == 0 else _GRID)
        canvas.text(room.left - 6, y + 4, said(value), anchor="end")
    canvas.line((room.left, room.top), (room.left, room.bottom), _AXIS)
    _left_title(canvas, room, title)


def x_axis(canvas: Canvas, room: Area, scale: Scale, title: str) -> None:
    """Numbers below, with a line through the chart for each."""
    for value in ticks(scale.low, scale.high, 8):
        x = scale.at(value)
        canvas.line((x, room.top), (x, room.bottom), _AXIS if value == 0 else _GRID)
        canvas.text(x, room.bottom + _LINE, said(value), anchor="middle")
    canvas.line((room.left, room.bottom), (room.right, room.bottom), _AXIS)
    _bottom_title(canvas, room, title, _LINE)


def x_labels(canvas: Canvas, room: Area, labels: Sequence[str], title: str) -> None:
    """Labels below; turned when they would touch, and not all of them when there are too many."""
    turned, high = labels_below(labels, room.width)
    slot = room.width / len(labels)
    every = max(1, math.ceil((_APART if turned else max(map(width_of, labels)) + 8) / slot))
    for place in range(0, len(labels), every):
        x = room.left + (place + 0.5) * slot
        anchor, turn = ("end", _TURNED) if turned else ("middle", 0.0)
        canvas.text(x, room.bottom + _LINE - (4 if turned else 0), labels[place], anchor=anchor, turn=turn)
    canvas.line((room.left, room.bottom), (room.right, room.bottom), _AXIS)
    _bottom_title(canvas, room, title, high)


def labels_below(labels: Sequence[str], width: float) -> tuple[bool, float]:
    """Whether labels have to be turned, and how much room they then need."""
    widest = max(map(width_of, labels))
    shown = min(len(labels), 14)
    if widest + 8 <= width / shown:
        return False, _LINE
    return True, widest * math.sin(math.radians(-_TURNED)) + _LINE


def left_of_labels(labels: Sequence[str], width: float) -> float:
    """How much room labels below need left of the chart, which is as wide as said: turned ones end under their mark."""
    if not labels_below(labels, width)[0]:
        return 0.0
    slot = width / len(labels)
    across = math.cos(math.radians(-_TURNED))
    return max(0.0, *(width_of(label) * across - (place + 0.5) * slot for place, label in enumerate(labels)))


def y_labels(canvas: Canvas, room: Area, labels: Sequence[str], title: str) -> None:
    """Labels at the left, from the top."""
    slot = room.height / len(labels)
    every = max(1, math.ceil(14 / slot))
    for place in range(0, len(labels), every):
        canvas.text(room.left - 6, room.top + (place + 0.5) * slot + 4, labels[place], anchor="end")
    canvas.line((room.left, room.top), (room.left, room.bottom), _AXIS)
    _left_title(canvas, room, title)


def left_of(texts: Sequence[str], title: str) -> float:
    """How much room numbers or labels need at the left."""
    return max(map(width_of, texts), default=0.0) + 10 + (_LINE + 4 if title else 0)


def below(high: float, title: str) -> float:
    """How much room numbers or labels of some height need below."""
    return high + (_LINE + 8 if title else 4)


def _left_title(canvas: Canvas, room: Area, title: str) -> None:
    if title:
        canvas.text(_EDGE + 4, (room.top + room.bottom) / 2, title, anchor="middle", size=13, turn=-90)


def _bottom_title(canvas: Canvas, room: Area, title: str, high: float) -> None:
    if title:
        canvas.text((room.left + room.right) / 2, room.bottom + high + _LINE, title, anchor="middle", size=13)


def _legend(canvas: Canvas, names: Sequence[str]) -> float:
    """Draw the names of the series at the bottom, in as many lines as they need; returns how high that is."""
    lines: list[list[tuple[int, str]]] = [[]]
    used = 0.0
    for place, name in enumerate(names):
        needed = _SWATCH + 6 + width_of(name) + 20
        if lines[-1] and used + needed > canvas.width - 2 * _EDGE:
            lines.append([])
            used = 0.0
        lines[-1].append((place, name))
        used += needed
    for row, line in enumerate(lines):
        x, y = _EDGE + 24, canvas.height - _EDGE - (len(lines) - 1 - row) * _LINE
        for place, name in line:
            canvas.rect(x, y - _SWATCH + 2, _SWATCH, _SWATCH, color(place))
            canvas.text(x + _SWATCH + 6, y, name)
            x += _SWATCH + 6 + width_of(name) + 20
    return len(lines) * _LINE + 4
