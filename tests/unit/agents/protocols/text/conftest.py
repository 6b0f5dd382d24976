"""The tools of an agent that speaks the text protocol."""

from typing import Any

import pytest

from agents.models.base import ToolSpec


def _schema(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_TEXT = {"type": "string"}


@pytest.fixture
def tools() -> tuple[ToolSpec, ...]:
    """Four that read, two with an effect."""
    amount = {"anyOf": [{"type": "number"}, {"type": "string"}]}
    texts = {"type": "array", "items": _TEXT}
    return (
        ToolSpec("stock.find", "", _schema("item", item=_TEXT, most={"type": "integer", "default": 3}), "read"),
        ToolSpec("count", "", _schema("text", text=_TEXT), "read"),
        ToolSpec("today", "", _schema(), "read"),
        ToolSpec("measure", "", _schema("sizes", "deep", sizes=texts, deep={"type": "boolean"}), "read"),
        ToolSpec("pay", "", _schema("to", "amount", to=_TEXT, amount=amount, notes=texts), "unsafe"),
        ToolSpec("tell", "", _schema("text", text=_TEXT), "keyed"),
    )
