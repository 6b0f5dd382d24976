"""Arguments against a JSON Schema: mistakes are told as for any other tool."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agents.tools.mcp.schemas import arguments_model, check_schema
from orchestrator.errors import TeamError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "days": {"type": "integer", "maximum": 7},
        "unit": {"enum": ["C", "F"]},
        "at": {"$ref": "#/$defs/Point"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "from": {"type": "string"},
        "model_config": {"type": "boolean"},
    },
    "required": ["city"],
    "additionalProperties": False,
    "patternProperties": {"^x-": {}},
    "$defs": {"Point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
}
MODEL = arguments_model("weather.get", SCHEMA)


def faults(**arguments: Any) -> list[tuple[str, str, str]]:
    """(type, place, message) of each mistake."""
    with pytest.raises(ValidationError) as caught:
        MODEL.model_validate(arguments)
    return [
        (one["type"], ".".join(str(part) for part in one["loc"]), one["msg"])
        for one in caught.value.errors(include_url=False)
    ]


def test_what_fits_comes_back_as_it_was() -> None:
    """Also names that Python could not use, and through JSON."""
    arguments = {"city": "Köln", "from": "Rome", "model_config": True, "at": {"x": 1.5}, "either": None, "x-y": [1]}
    assert MODEL.model_validate(arguments).root == arguments
    assert MODEL.model_validate(arguments).model_dump(mode="json", exclude_unset=True) == arguments
    assert MODEL.model_validate_json('{"city": "Köln"}', strict=True).root == {"city": "Köln"}


def test_the_schema_is_the_servers_own() -> None:
    """To the letter, and nobody can change it through the model."""
    assert MODEL.model_json_schema() == SCHEMA
    MODEL.model_json_schema().clear()
    assert MODEL.model_json_schema() == SCHEMA


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [("missing", "city", "Field required")]),
        ({"city": 5}, [("string_type", "city", "Input should be a valid string")]),
        ({"city": "Bonn", "days": "3"}, [("int_type", "days", "Input should be a valid integer")]),
        ({"city": "Bonn", "days": True}, [("int_type", "days", "Input should be a valid integer")]),
        ({"city": "Bonn", "days": 9}, [("unfit", "days", "9 is greater than the maximum of 7")]),
        ({"city": "B"}, [("unfit", "city", "'B' is too short")]),
        ({"city": "Bonn", "unit": "K"}, [("enum", "unit", "it is none of the values that are allowed")]),
        ({"city": "Bonn", "at": {}}, [("missing", "at.x", "Field required")]),
        ({"city": "Bonn", "at": "here"}, [("dict_type", "at", "Input should be a valid dictionary")]),
        ({"city": "Bonn", "tags": "a"}, [("list_type", "tags", "Input should be a valid list")]),
        ({"city": "Bonn", "tags": ["a", 1]}, [("string_type", "tags.1", "Input should be a valid string")]),
        ({"city": "Bonn", "cty": 1}, [("extra_forbidden", "cty", "Extra inputs are not permitted")]),
    ],
)
def test_each_mistake_has_its_kind_and_place(arguments: Any, expected: Any) -> None:
    """So that the agent is told what was sent, what is wanted, and how to mend it."""
    assert faults(**arguments) == expected


def test_one_of_several_kinds() -> None:
    """The mistake is told at the argument; what would be valid is told beside it, for any tool."""
    ((_, place, message),) = faults(city="Bonn", either="x")
    assert (place, message) == ("either", "'x' is not valid under any of the given schemas")


def test_braces_in_a_message_are_only_braces() -> None:
    """Pydantic's templates use them."""
    model = arguments_model("t", {"type": "object", "properties": {"a": {"maxItems": 0, "type": "array"}}})
    with pytest.raises(ValidationError) as caught:
        model.model_validate({"a": [{"b": "{c}"}]})
    assert "{c}" in caught.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (
            {"type": "object", "properties": {"a": {"type": "wish"}}},
            "the schema of its arguments is none: 'wish' is not",
        ),
        (
            {"type": "object", "properties": {"a": {"$ref": "https://x/y"}}},
            "refers to `https://x/y`, outside of itself",
        ),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/B"}}}, "refers to `#/$defs/B`, which is not in it"),
        ({"type": "array"}, "its arguments are no object"),
        ({"type": "object", "default": float("nan")}, "the schema holds NaN or Infinity at $.default"),
    ],
)
def test_a_schema_that_cannot_be_used(schema: Any, why: str) -> None:
    """It is refused before a run is opened."""
    with pytest.raises(TeamError) as caught:
        check_schema(schema, "mcp.a: t")
    assert str(caught.value).startswith("mcp.a: t: ")
    assert why in str(caught.value)


def test_a_schema_that_contains_itself() -> None:
    """It is checked as deep as the arguments go."""
    tree: dict[str, Any] = {"type": "object", "properties": {"left": {"$ref": "#"}, "n": {"type": "integer"}}}
    check_schema(tree, "t")
    model = arguments_model("t", tree)
    assert model.model_validate({"left": {"left": {"n": 1}}}).root
    with pytest.raises(ValidationError, match=r"left\.left\.n"):
        model.model_validate({"left": {"left": {"n": "x"}}})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other", "x-1"]), JSON, max_size=6))
def test_arguments_fit_or_are_refused(arguments: dict[str, Any]) -> None:
    """Whatever a model sends: it comes through unchanged, or a pydantic error tells a place for each mistake."""
    try:
        assert MODEL.model_validate(arguments).root == arguments
    except ValidationError as error:
        assert error.error_count() > 0
        assert all(one["loc"] for one in error.errors())
