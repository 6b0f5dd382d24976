"""What code or other agents need of a finding: the JSON Schema that its `data` has to fit, and what does not fit."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.protocols.schemas import inlined
from orchestrator.domain.plan import Plan
from orchestrator.errors import TeamError

MOST_TOLD = 10
_LONGEST = 200


def schema_fault(schema: Mapping[str, Any]) -> str | None:
    """Why this is no schema of a finding's data, in a clause; None: it is one."""
    # A process that meets no such schema never loads the library.
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415

    try:
        kind = inlined(schema, "output").get("type")
        Draft202012Validator.check_schema(dict(schema))
    except TeamError as error:
        return error.what
    except SchemaError as error:
        return f"it is no JSON Schema: {error.message[:_LONGEST]}"
    return None if kind == "object" else "data is an object, so its schema must have the type `object`"


def plan_faults(plan: Plan) -> list[str]:
    """A sentence for each planned subtask whose output schema is none."""
    found = [(one.key, schema_fault(one.output)) for one in plan.subtasks if one.output is not None]
    return [f"The `output` of subtask `{key}` cannot be used: {fault}." for key, fault in found if fault]


def misfits(data: Mapping[str, Any], schema: Mapping[str, Any]) -> Sequence[str]:
    """A sentence for each place where the data of a finding does not fit."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415

    # An empty registry: a reference out of the schema is never fetched.
    checker = Draft202012Validator(inlined(schema, "output"), registry=Registry())
    faults = sorted(checker.iter_errors(dict(data)), key=lambda fault: fault.json_path)
    told = [f"`data{fault.json_path.removeprefix('$')}`: {fault.message[:_LONGEST]}." for fault in faults]
    return told[:MOST_TOLD]
