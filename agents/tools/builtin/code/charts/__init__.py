"""Charts as SVG: self-contained, without scripts, and the same picture for the same rows."""

from agents.tools.builtin.code.charts.asking import KINDS, ChartError, asked
from agents.tools.builtin.code.charts.drawing import draw

__all__ = ["KINDS", "ChartError", "asked", "draw"]
