"""Making a tool's schema self-contained."""

import json
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel, Field

from agents.protocols.schemas import inlined, plain
from orchestrator.errors import TeamError


class Unit(Enum):
    """A unit."""

    KG = "kg"
    T = "t"


class Line(BaseModel):
    """One line of an order."""

    amount: Decimal = Field(description="How much.")
    unit: Unit = Unit.KG
    title: str = "none"


class Order(BaseModel):
    """An order."""

    lines: list[Line]
    first: Line | None = None
    definitions: dict[str, str] = Field(default_factory=dict)


class Node(BaseModel):
    """A part that holds parts."""

    name: str
    children: list["Node"] = []


def test_replaces_references_by_what_they_point_at() -> None:
    """No reference and no definition is left, and what stood beside a reference is kept."""
    schema = inlined(Order.model_json_schema(), "tool x")
    assert "$ref" not in json.dumps(schema)
    assert "$defs" not in schema
    line = schema["properties"]["lines"]["items"]
    assert line["properties"]["unit"] == {
        "description": "A unit.",
        "enum": ["kg", "t"],
        "type": "string",
        "default": "kg",
    }
    assert line["properties"]["amount"]["description"] == "How much."
    assert schema["properties"]["first"]["anyOf"][0] == line


def test_properties_named_like_keywords_survive() -> None:
    """A property may be called `title` or `definitions`."""
    schema = inlined(Order.model_json_schema(), "tool x")
    assert schema["properties"]["definitions"]["additionalProperties"] == {"type": "string"}
    assert schema["properties"]["lines"]["items"]["properties"]["title"] == {"type": "string", "default": "none"}


def test_leaves_out_titles_that_say_nothing() -> None:
    """A title that only repeats the name costs tokens in each call; any other is kept."""
    schema = inlined(
        {"title": "Root", "properties": {"from_date": {"title": "From Date"}, "x": {"title": "Width"}}}, "t"
    )
    assert schema == {"type": "object", "properties": {"from_date": {}, "x": {"title": "Width"}}}


def test_cuts_a_cycle() -> None:
    """A schema that contains itself is written out twice and then ends."""
    schema = inlined(Node.model_json_schema(), "tool x")
    depth = 0
    node: dict[str, Any] = schema
    while "properties" in node:
        node = node["properties"]["children"]["items"]
        depth += 1
    assert depth == 2
    assert node == {"type": "object", "description": "Nested deeper in the same shape."}


def test_data_is_not_taken_for_schema() -> None:
    """A default or an enum may hold the word `$ref`."""
    schema = {"properties": {"a": {"default": {"$ref": "#/nowhere"}, "enum": [{"$ref": "x"}]}}}
    assert inlined(schema, "t")["properties"]["a"] == {"default": {"$ref": "#/nowhere"}, "enum": [{"$ref": "x"}]}


def test_follows_pointers_with_escapes_and_into_lists() -> None:
    """A reference may go through names with slashes and through lists."""
    schema = {
        "$defs": {"a/b": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "properties": {"x": {"$ref": "#/$defs/a~1b/anyOf/1"}},
    }
    assert inlined(schema, "t")["properties"]["x"] == {"type": "null"}


@pytest.mark.parametrize(
    ("ref", "what"),
    [
        ("#/$defs/Gone", "tool x: the schema refers to `#/$defs/Gone`, which is not in it. Mend the schema."),
        (
            "https://example.org/s",
            "tool x: the schema refers to `https://example.org/s`, outside of itself. Write it into the schema.",
        ),
        ("#/required", "tool x: the schema refers to `#/required`, which is no schema"),
    ],
)
def test_a_reference_that_leads_nowhere_is_an_error(ref: str, what: str) -> None:
    """The message names the tool and the reference."""
    with pytest.raises(TeamError) as caught:
        inlined({"required": ["a"], "properties": {"a": {"$ref": ref}}}, "tool x")
    assert str(caught.value) == what


def test_definitions_that_double_at_each_level_are_refused() -> None:
    """Thirty small definitions could grow to a thousand million parts."""
    levels: dict[str, Any] = {"d0": {"type": "string"}}
    for level in range(1, 31):
        ref = {"$ref": f"#/$defs/d{level - 1}"}
        levels[f"d{level}"] = {"type": "object", "properties": {"a": ref, "b": ref}}
    with pytest.raises(TeamError, match="larger than 5000 parts"):
        inlined({"$defs": levels, "properties": {"x": {"$ref": "#/$defs/d30"}}}, "tool x")


def test_a_schema_nested_without_end_is_refused() -> None:
    """Depth is bounded as size is."""
    schema: dict[str, Any] = {}
    for _ in range(3_000):
        schema = {"items": schema}
    with pytest.raises(TeamError, match="nested too deep"):
        inlined(schema, "tool x")


def test_plain_keeps_what_every_server_takes() -> None:
    """Shape, descriptions and choices stay; the rest goes."""
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "a": {"type": "array", "items": {"type": "string", "pattern": "x"}, "default": []},
            "b": {"anyOf": [{"type": "null", "title": "N"}]},
        },
        "required": ["a"],
    }
    assert plain(schema) == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"anyOf": [{"type": "null"}]}},
        "required": ["a"],
    }
