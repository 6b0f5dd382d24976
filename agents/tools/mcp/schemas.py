"""Checks arguments against the JSON Schema of a server's tool, and tells mistakes the way pydantic does."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, ClassVar, Self, cast

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from pydantic import RootModel
from pydantic_core import InitErrorDetails, PydanticCustomError
from pydantic_core import ValidationError as PydanticError
from referencing import Registry

from agents.protocols.json_text import non_finite
from agents.protocols.schemas import inlined
from orchestrator.errors import TeamError

_KINDS = {
    "string": "string_type",
    "integer": "int_type",
    "number": "float_type",
    "boolean": "bool_type",
    "array": "list_type",
    "object": "dict_type",
}
_LONGEST = 200
_INTEGER = re.compile(r"[+-]?\d{1,30}")
_NUMBER = re.compile(r"[+-]?\d{1,30}(\.\d{1,30})?")
_BOOLEANS = {"true": True, "false": False}


class SchemaArguments(RootModel[dict[str, Any]]):
    """Arguments of a tool that is described by a JSON Schema instead of a Python function."""

    schema_text: ClassVar[str]

    @classmethod
    def model_validate(cls, obj: Any, **_options: Any) -> Self:
        """The arguments, texts that clearly are numbers or truth values read as such. Raises pydantic's error."""
        checker = _checker(cls.schema_text)
        arguments = dict(cast("Mapping[str, Any]", obj))
        faults = _faults(checker, arguments)
        if faults:
            repaired = _repaired(arguments, faults)
            if repaired is None or _faults(checker, repaired):
                raise PydanticError.from_exception_data(cls.__name__, list(_details(faults)))
            arguments = repaired
        return cls.model_construct(arguments)

    @classmethod
    def model_json_schema(cls, *_arguments: Any, **_options: Any) -> dict[str, Any]:
        """The schema as the server wrote it."""
        return json.loads(cls.schema_text)


def arguments_model(name: str, schema: Mapping[str, Any]) -> type[SchemaArguments]:
    """The model of a tool's arguments."""
    return type(f"{name}Arguments", (SchemaArguments,), {"schema_text": json.dumps(schema), "__module__": __name__})


def check_schema(schema: Mapping[str, Any], where: str) -> None:
    """Raises TeamError for a schema that cannot be used: broken, pointing out of itself, or not of an object."""
    if path := non_finite(schema):
        raise TeamError(f"the schema holds NaN or Infinity at {path}", where=where, mend="Mend the server.")
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(dict(schema))
    except SchemaError as error:
        what = f"the schema of its arguments is none: {error.message[:_LONGEST]}"
        raise TeamError(what, where=where, mend="Mend the server.") from None
    if inlined(schema, where).get("type") != "object":
        raise TeamError("its arguments are no object", where=where, mend="Mend the server.")


@lru_cache(maxsize=512)
def _checker(schema_text: str) -> Validator:
    """Built once a schema: that takes far longer than to use it."""
    schema = json.loads(schema_text)
    # An empty registry: a reference out of the schema is never fetched.
    return validator_for(schema, default=Draft202012Validator)(schema, registry=Registry())


def _faults(checker: Validator, arguments: Mapping[str, Any]) -> list[ValidationError]:
    return [best_match([error]) for error in checker.iter_errors(arguments)]


def _repaired(arguments: Mapping[str, Any], faults: Sequence[ValidationError]) -> dict[str, Any] | None:
    """The arguments with what was written as a text but is wanted as a number or a truth value; None: nothing was."""
    repaired = deepcopy(dict(arguments))
    changed = False
    for fault in faults:
        value = _meant(fault) if fault.validator == "type" and fault.absolute_path else None
        if value is not None:
            *way, last = fault.absolute_path
            place: Any = repaired
            for step in way:
                place = place[step]
            place[last] = value
            changed = True
    return repaired if changed else None


def _meant(fault: ValidationError) -> int | float | bool | None:
    text = fault.instance
    if not isinstance(text, str):
        return None
    match fault.validator_value:
        case "integer" if _INTEGER.fullmatch(text):
            return int(text)
        case "number" if _NUMBER.fullmatch(text):
            return float(text) if "." in text else int(text)
        case "boolean":
            return _BOOLEANS.get(text.casefold())
        case _:
            return None


def _details(faults: Sequence[ValidationError]) -> Iterator[InitErrorDetails]:
    for fault in faults:
        place, sent = tuple(fault.absolute_path), cast("Any", fault.instance)
        wanted = cast("Any", fault.validator_value)
        match fault.validator:
            case "required":
                for name in wanted:
                    if name not in sent:
                        yield InitErrorDetails(type="missing", loc=(*place, name), input=sent)
            case "additionalProperties" if wanted is False:
                for name in _extra(cast("Mapping[str, Any]", fault.schema), sent):
                    yield InitErrorDetails(type="extra_forbidden", loc=(*place, name), input=sent[name])
            case "type" if isinstance(wanted, str):
                yield InitErrorDetails(type=_KINDS.get(wanted, "none_required"), loc=place, input=sent)
            case "enum" | "const":
                kind = PydanticCustomError("enum", "it is none of the values that are allowed")
                yield InitErrorDetails(type=kind, loc=place, input=sent)
            case _:
                kind = PydanticCustomError("unfit", "{why}", {"why": fault.message[:_LONGEST]})
                yield InitErrorDetails(type=kind, loc=place, input=sent)


def _extra(schema: Mapping[str, Any], sent: Mapping[str, Any]) -> Iterator[str]:
    patterns = [re.compile(pattern) for pattern in schema.get("patternProperties", {})]
    for name in sent:
        if name not in schema.get("properties", {}) and not any(one.search(name) for one in patterns):
            yield name
