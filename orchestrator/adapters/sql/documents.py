"""Records as JSON text and back: Chinese stays Chinese, and what cannot be written is said in one line."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from orchestrator.adapters.sql.kinds import whole
from orchestrator.errors import DefectError, StoreError

R = TypeVar("R", bound=BaseModel)


def written(record: BaseModel) -> str:
    """The record as JSON text."""
    try:
        return record.model_dump_json()
    except PydanticSerializationError:
        # A model's reply may hold half a surrogate pair; pydantic checks typed fields only.
        return _mended(record)


def read(kind: type[R], text: str, where: str) -> R:
    """The record that was written as `text`."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise StoreError(
            f"the stored {kind.__name__.lower()} cannot be read ({error.errors()[0]['msg']})",
            where=where,
            mend="It was written by another version of Remit, or the database is damaged.",
        ) from None


def _mended(record: BaseModel) -> str:
    try:
        plain = to_jsonable_python(_whole(record.model_dump()))
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (PydanticSerializationError, ValueError, TypeError) as error:
        raise DefectError(f"a {type(record).__name__.lower()} cannot be written as JSON ({error})") from None


def _whole(value: Any) -> Any:
    match value:
        case str():
            return whole(value)
        case dict():
            return {_whole(key): _whole(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_whole(inner) for inner in value]
        case _:
            return value
