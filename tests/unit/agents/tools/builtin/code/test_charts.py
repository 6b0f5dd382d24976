"""Charts of rows: self-contained pictures that show what the rows say."""

import math
import re
from datetime import date
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.code.charts import KINDS, ChartError, asked, draw
from agents.tools.builtin.code.charts.asking import MOST_POINTS, MOST_SERIES, MOST_SLICES
from agents.tools.builtin.code.charts.canvas import width_of
from agents.tools.builtin.code.charts.scale import said, span, ticks

ROWS = [
    {"month": date(2026, 1, 1), "in": Decimal("1200.50"), "out": Decimal("-300.25"), "region": "Süd <b>"},
    {"month": date(2026, 2, 1), "in": 800, "out": None, "region": "上海"},
    {"month": date(2026, 3, 1), "in": 950.75, "out": "410.00", "region": None},
]


def picture(kind: object, rows: object = ROWS, x: object = "month", y: object = "in", **titles: object) -> str:
    """A chart as SVG text."""
    return draw(asked(kind, rows, x, y, titles)).decode()


def texts(svg: str) -> list[str]:
    """What is written in a picture."""
    return [one.text or "" for one in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_one_safe_picture(kind: str) -> None:
    """Well-formed, with its title, without scripts, without anything to load, and the same each time."""
    x = "in" if kind == "scatter" else "region"
    svg = picture(kind, ROWS, x, "in", title="Umsatz & <i>收入</i>")
    assert "Umsatz & <i>收入</i>" in texts(svg)
    assert "<script" not in svg
    assert "<!--" not in svg
    assert re.findall(r"(?:href|src)=|@import|url\(", svg) == []
    assert svg == picture(kind, ROWS, x, "in", title="Umsatz & <i>收入</i>")


def test_labels_are_written_as_they_are() -> None:
    """Dates as dates, any script, what is missing as a dash."""
    assert {"2026-01-01", "2026-02-01", "2026-03-01"} <= set(texts(picture("line")))
    assert {"Süd <b>", "上海", "–"} <= set(texts(picture("bar", x="region")))


def marks(svg: str, tag: str = "rect") -> list[tuple[str, dict[str, str]]]:
    """What the marks of a picture say to whoever points at them, and how they are drawn."""
    space = "{http://www.w3.org/2000/svg}"
    found = [(one.findtext(f"{space}title"), one.attrib) for one in ElementTree.fromstring(svg).iter(f"{space}{tag}")]
    return [(told, dict(drawn)) for told, drawn in found if told]


def test_bars_are_drawn_to_scale() -> None:
    """Twice as high stands for twice as much, below the line for less than nothing; a missing value has no bar."""
    rows = [{"x": "a", "v": 10}, {"x": "b", "v": Decimal(20)}, {"x": "c", "v": None}, {"x": "d", "v": -10}]
    bars = marks(picture("bar", rows, "x", "v"))
    assert [told for told, _ in bars] == ["a: 10", "b: 20", "d: -10"]
    heights = [float(drawn["height"]) for _, drawn in bars]
    assert heights == pytest.approx([heights[0], 2 * heights[0], heights[0]], abs=0.02)
    tops = [float(drawn["y"]) for _, drawn in bars]
    assert tops[0] + heights[0] == pytest.approx(tops[2], abs=0.02)
    flat = marks(picture("horizontal bar", rows, "x", "v"))
    assert float(flat[1][1]["width"]) == pytest.approx(2 * float(flat[0][1]["width"]), abs=0.02)
    assert [told for told, _ in flat] == ["a: 10", "b: 20", "d: -10"]


def test_stacked_bars_stand_on_each_other() -> None:
    """Gains upwards, losses downwards."""
    rows = [{"x": "a", "u": 10, "v": 5, "w": -5}]
    bars = dict(marks(picture("stacked bar", rows, "x", ["u", "v", "w"])))
    u, v, w = (bars[f"a, {name}: {value}"] for name, value in (("u", 10), ("v", 5), ("w", -5)))
    assert float(v["y"]) + float(v["height"]) == pytest.approx(float(u["y"]), abs=0.02)
    assert float(u["y"]) + float(u["height"]) == pytest.approx(float(w["y"]), abs=0.02)
    assert float(u["height"]) == pytest.approx(2 * float(v["height"]), abs=0.02)


def test_a_line_has_a_gap_where_a_value_is_missing() -> None:
    """Nothing is invented between."""
    rows = [{"x": place, "v": value} for place, value in enumerate([1, 2, None, 4, 5])]
    svg = picture("line", rows, "x", "v")
    assert svg.count("<polyline") == 2
    assert [told for told, _ in marks(svg, "circle")] == ["0: 1", "1: 2", "3: 4", "4: 5"]


def test_an_area_begins_at_nothing() -> None:
    """What is filled says how much there is."""
    rows = [{"x": f"day {place}", "v": 1000 + place} for place in range(3)]
    assert "0" in texts(picture("area", rows, "x", "v"))
    assert "0" not in texts(picture("line", rows, "x", "v"))


def test_points_stand_where_their_numbers_are() -> None:
    """Larger ones to the right and above."""
    points = marks(picture("scatter", [{"x": 1, "y": 5}, {"x": 3, "y": 9}, {"x": None, "y": 1}], "x", "y"), "circle")
    assert [told for told, _ in points] == ["1, 5", "3, 9"]
    (_, low), (_, high) = points
    assert float(low["cx"]) < float(high["cx"])
    assert float(low["cy"]) > float(high["cy"])


def test_series_have_a_legend_and_slices_their_share() -> None:
    """One series needs none."""
    assert {"in", "out"} <= set(texts(picture("stacked bar", y=["in", "out"])))
    assert "in" not in texts(picture("bar"))
    rows = [{"k": "a", "v": 1}, {"k": "b", "v": 3}]
    svg = picture("pie", rows, "k", "v")
    assert {"a: 1 (25.0%)", "b: 3 (75.0%)"} <= set(texts(svg))
    assert [told for told, _ in marks(svg, "path")] == ["a: 1 (25.0%)", "b: 3 (75.0%)"]
    assert len(marks(picture("pie", [{"k": "a", "v": 1}, {"k": "b", "v": 0}], "k", "v"), "path")) == 1


def test_a_histogram_counts() -> None:
    """All values, in bins of one width from the smallest to the largest; the axis counts in whole numbers."""
    svg = picture("histogram", [{"v": value} for value in range(100)], "", "v")
    bins = [told for told, _ in marks(svg)]
    assert (bins[0], bins[-1]) == ("0 to 12.375: 13", "86.625 to 99: 13")
    assert sum(int(told.rpartition(" ")[2]) for told in bins) == 100
    assert "0.5" not in texts(picture("histogram", [{"v": 5}, {"v": 6}], x="v", y=()))


def test_many_labels_are_thinned() -> None:
    """So that none covers another."""
    svg = picture("bar", [{"x": f"Label {place}", "v": place} for place in range(500)], "x", "v")
    assert len([text for text in texts(svg) if text.startswith("Label")]) < 60
    assert len(marks(svg)) == 500


def test_long_labels_stay_inside_the_picture() -> None:
    """Turned ones are as long as they are: the chart makes room for them at the left and below."""
    rows = [{"x": f"category number {place} with a long name", "v": place} for place in range(25)]
    root = ElementTree.fromstring(picture("bar", rows, "x", "v"))
    turned = [one for one in root.iter("{http://www.w3.org/2000/svg}text") if "transform" in one.attrib]
    assert len(turned) == 25
    for one in turned:
        length = width_of(one.text or "")
        assert float(one.attrib["x"]) - length * math.cos(math.radians(35)) >= 0
        assert float(one.attrib["y"]) + length * math.sin(math.radians(35)) <= float(root.attrib["height"])


@pytest.mark.parametrize(("kind", "most"), [("stacked bar", MOST_SERIES), ("pie", MOST_SLICES)])
def test_no_color_stands_for_two_things(kind: str, most: int) -> None:
    """As many series, or slices, as there may be are told apart."""
    if kind == "pie":
        svg = picture(kind, [{"x": f"slice {place}", "v": 1} for place in range(most)], "x", "v")
    else:
        names = [f"series {place}" for place in range(most)]
        svg = picture(kind, [{"x": "a", **dict.fromkeys(names, 1)}], "x", names)
    drawn = marks(svg, "path" if kind == "pie" else "rect")
    assert len({look["fill"] for _, look in drawn}) == most


def test_control_characters_do_not_break_a_picture() -> None:
    """XML cannot hold them."""
    svg = picture("bar", [{"x": "a\x00\x1bb\ud800", "v": 1}], "x", "v", title="t\x07")
    assert {"a��b�", "t�"} <= set(texts(svg))


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (0, 2500, [0, 500, 1000, 1500, 2000, 2500]),
        (-1, 1, [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1]),
        (0.001, 0.0034, [0.001, 0.0015, 0.002, 0.0025, 0.003]),
    ],
)
def test_axes_have_round_numbers(low: float, high: float, found: list[float]) -> None:
    """Few of them."""
    assert ticks(low, high, 8) == pytest.approx(found)


@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=20), st.booleans())
def test_an_axis_holds_all_its_numbers(values: list[float], zero: bool) -> None:
    """Whatever they are: it has a length, some numbers on it, and nothing is outside."""
    low, high = span(values, zero=zero)
    assert low < high
    assert low <= min(values) <= max(values) <= high
    assert not zero or low <= 0 <= high
    assert 1 <= len(ticks(low, high, 8)) <= 9


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-0.0, "0"), (1234567.5, "1,234,567.5"), (0.1 + 0.2, "0.3"), (1e-9, "1e-09"), (-2.5e20, "-2.5e+20")],
)
def test_numbers_are_written_as_people_do(value: float, text: str) -> None:
    """Without the dust of floating-point numbers."""
    assert said(value) == text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"kind": "donut"}, "there are: bar, stacked bar"),
        ({"rows": []}, "a list of dicts"),
        ({"rows": "month"}, "a list of dicts"),
        ({"rows": [1, 2]}, "a list of dicts"),
        ({"rows": [{"month": 1, "in": 1}] * (MOST_POINTS + 1)}, "group them first"),
        ({"y": "inn"}, "they have: month, in, out, region"),
        ({"x": "day"}, "no column `day`"),
        ({"y": []}, "1 to 12 columns"),
        ({"y": ["in"] * 13}, "1 to 12 columns"),
        ({"y": "region"}, "holds `Süd <b>`, which is no number"),
        ({"rows": [{"month": 1, "in": float("nan")}]}, "cannot be drawn"),
        ({"rows": [{"month": 1, "in": 1e200}]}, "cannot be drawn"),
        ({"rows": [{"month": 1, "in": None}]}, "there is no number"),
        ({"rows": [{"month": 1, "in": True}]}, "which is no number"),
        ({"kind": "pie", "y": "out"}, "cannot show negative values"),
        ({"kind": "pie", "y": ["in", "out"]}, "one column of values"),
        ({"kind": "pie", "rows": [{"month": 1, "in": 1}] * 25}, "too many"),
        ({"kind": "area", "y": ["in", "out"]}, "draw lines"),
        ({"kind": "scatter", "x": ""}, "a scatter needs `x`"),
        ({"kind": "scatter", "x": "region"}, "which is no number"),
    ],
)
def test_says_what_cannot_be_drawn(arguments: dict[str, Any], told: str) -> None:
    """And what could be."""
    with pytest.raises(ChartError) as caught:
        picture(**{"kind": "bar", **arguments})
    assert told in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_extremes_are_drawn(kind: str) -> None:
    """One row, equal values, very large and very small ones, many points, long names."""
    for values in ([0.0], [5, 5, 5], [1e100, 1], [1e-12, 2e-12], [-3, -3.5], list(range(24))):
        rows = [{"x": place, "v": value, "长" * 300: 1} for place, value in enumerate(values)]
        try:
            assert picture(kind, rows, "x", "v").startswith("<?xml")
        except ChartError as error:
            assert kind == "pie"
            assert "negative values, nor nothing" in str(error)
