"""Draws on an SVG picture: shapes and texts, safely escaped, each with a text for whoever points at it."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

FONT = "'Noto Sans', 'Noto Sans CJK SC', 'Microsoft YaHei', 'PingFang SC', 'DejaVu Sans', sans-serif"
_SPACE = "http://www.w3.org/2000/svg"
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold."""
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffe6\U00020000-\U0003ffff]")


class Canvas:
    """A picture that is being drawn."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        size = {"width": _n(width), "height": _n(height), "viewBox": f"0 0 {_n(width)} {_n(height)}"}
        self._root = ElementTree.Element("svg", {"xmlns": _SPACE, "font-family": FONT, "font-size": "12", **size})
        self._add("rect", {"width": _n(width), "height": _n(height), "fill": "white"})

    def rect(self, x: float, y: float, width: float, height: float, fill: str, *, told: str = "") -> None:
        """A rectangle."""
        place = {"x": _n(x), "y": _n(y), "width": _n(width), "height": _n(height)}
        self._add("rect", {**place, "fill": fill}, told)

    def line(self, start: tuple[float, float], end: tuple[float, float], stroke: str, width: float = 1.0) -> None:
        """A straight line."""
        ends = {"x1": _n(start[0]), "y1": _n(start[1]), "x2": _n(end[0]), "y2": _n(end[1])}
        self._add("line", {**ends, "stroke": stroke, "stroke-width": _n(width)})

    def dot(self, x: float, y: float, radius: float, fill: str, told: str = "") -> None:
        """A dot."""
        self._add("circle", {"cx": _n(x), "cy": _n(y), "r": _n(radius), "fill": fill, "fill-opacity": "0.85"}, told)

    def polyline(self, points: Sequence[tuple[float, float]], stroke: str) -> None:
        """A line through points."""
        drawn = {"points": _points(points), "fill": "none", "stroke": stroke, "stroke-width": "2"}
        self._add("polyline", {**drawn, "stroke-linejoin": "round"})

    def polygon(self, points: Sequence[tuple[float, float]], fill: str, told: str = "") -> None:
        """A filled area."""
        self._add("polygon", {"points": _points(points), "fill": fill, "fill-opacity": "0.8"}, told)

    def path(self, drawn: str, fill: str, told: str = "") -> None:
        """A filled shape with curves."""
        self._add("path", {"d": drawn, "fill": fill, "stroke": "white", "stroke-width": "1"}, told)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "start",
        size: int = 12,
        turn: float = 0,
        bold: bool = False,
    ) -> None:
        """A line of text; `anchor` says which end of it stands at the place."""
        given = {"x": _n(x), "y": _n(y), "text-anchor": anchor, "font-size": str(size), "fill": "#333333"}
        if turn:
            given["transform"] = f"rotate({_n(turn)} {_n(x)} {_n(y)})"
        if bold:
            given["font-weight"] = "bold"
        self._add("text", given).text = _fit(text)

    def bytes(self) -> bytes:
        """The picture."""
        return ElementTree.tostring(self._root, encoding="utf-8", xml_declaration=True)

    def _add(self, tag: str, given: dict[str, str], told: str = "") -> ElementTree.Element:
        element = ElementTree.SubElement(self._root, tag, given)
        if told:
            ElementTree.SubElement(element, "title").text = _fit(told)
        return element


def width_of(text: str, size: int = 12) -> float:
    """How wide a text is, about."""
    wide = len(_WIDE.findall(text))
    return (len(text) - wide) * size * 0.58 + wide * size


def _n(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)
