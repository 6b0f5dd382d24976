"""A matching as the data of an observation, and back: the parts of `result.json` first, the workings below them."""

from typing import Any, cast

from pydantic import ValidationError

from agents.errors import ToolError
from agents.tools.builtin.reconcile.matching import Matching

_RESULT = ("left", "right", "matches", "breaks", "assumptions")


def as_data(matching: Matching) -> dict[str, Any]:
    """`left`, `right`, `matches`, `breaks`, `assumptions` as in `result.json`; `questions`, `next_look`, `workings`."""
    whole = matching.model_dump(mode="json")
    result: dict[str, Any] = whole.pop("result")
    questions = whole.pop("questions")
    return {**result, "questions": questions, "next_look": matching.next_look, "workings": whole}


def from_data(data: object, ref: str) -> Matching:
    """The matching that an observation holds. Raises ToolError('not_a_match') when it holds none."""
    mend = "Name the observation of `reconcile.match` or `reconcile.settle`."
    try:
        given = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        result = {name: given[name] for name in _RESULT}
        return Matching.model_validate({**given["workings"], "result": result, "questions": given["questions"]})
    except (KeyError, TypeError, ValidationError) as error:
        raise ToolError("not_a_match", f"{ref} holds no matching", hint=mend) from error
