"""Checks arguments against the JSON Schema of a server's tool, and tells mistakes the way pydantic does."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
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


class SchemaArguments(RootModel[dict[str, Any]]):
    """Arguments of a tool that is described by a JSON Schema instead of a Python function."""

    schema_text: ClassVar[str]

    @classmethod
    def model_validate(cls, obj: Any, **_options: Any) -> Self:
        """The arguments, if they fit the schema. Raises pydantic's error."""
        arguments = dict(cast("Mapping[str, Any]", obj))
        faults = [best_match([error]) for error in _checker(cls.schema_text).iter_errors(arguments)]
        if faults:
            raise PydanticError.from_exception_data(cls.__name__, list(_details(faults)))
        return cls.model_construct(arguments)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """The same for JSON text."""
        return cls.model_validate(json.loads(json_data), **options)

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
