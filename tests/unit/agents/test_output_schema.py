"""What the data of a finding has to hold."""

import pytest

from agents.output_schema import MOST_TOLD, misfits, plan_faults, schema_fault
from orchestrator.domain.plan import Plan

ROWS = {"type": "object", "required": ["rows"], "properties": {"rows": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (ROWS, None),
        ({"required": ["rows"]}, None),
        ({"type": "array"}, "data is an object, so its schema must have the type `object`"),
        ({"type": "object", "required": "rows"}, "it is no JSON Schema: 'rows' is not of type 'array'"),
        (
            {"$ref": "https://example.org/schema"},
            "the schema refers to `https://example.org/schema`, outside of itself",
        ),
    ],
)
def test_a_schema_of_a_finding_is_an_objects(schema: dict[str, object], fault: str | None) -> None:
    """What is none, or leads elsewhere, is known before anybody works by it."""
    assert schema_fault(schema) == fault


def test_what_does_not_fit_is_told_place_by_place() -> None:
    """In sentences for the agent, and not without end."""
    assert misfits({"rows": 412}, ROWS) == []
    assert misfits({}, ROWS) == ["`data`: 'rows' is a required property."]
    assert misfits({"rows": "412"}, ROWS) == ["`data.rows`: '412' is not of type 'integer'."]
    listed = {"properties": {"of": {"items": {"type": "integer"}}}}
    assert len(misfits({"of": ["x"] * 50}, listed)) == MOST_TOLD


def test_a_plan_is_told_which_of_its_schemas_is_none() -> None:
    """By the key of the subtask."""
    base = {"agent": "a", "title": "A", "instruction": "x"}
    plan = Plan.model_validate(
        {"subtasks": [{"key": "k", **base, "output": {"type": "array"}}, {"key": "l", **base, "output": ROWS}]}
    )
    assert plan_faults(plan) == [
        "The `output` of subtask `k` cannot be used: data is an object, so its schema must have the type `object`."
    ]
