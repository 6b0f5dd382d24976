"""Says of arguments that cannot be used why not, and how right ones look."""

import json
from collections.abc import Mapping
from typing import Any

from agents.protocols.nested import kinds
from agents.protocols.text.offered import OfferedTool, Parameters

_SAMPLES: dict[str, Any] = {"integer": 1, "number": 0.5, "boolean": True, "array": ["…"], "object": {}, "string": "…"}


class UnfitError(ValueError):
    """The arguments cannot be used; the message is a sentence for the model."""


def check_exact(tool: OfferedTool, liberties: frozenset[str]) -> None:
    """A tool with an effect is never run on what had to be interpreted. Raises UnfitError."""
    if tool.effect == "read" or not liberties:
        return
    why = ", ".join(sorted(liberties))
    raise UnfitError(
        f"`{tool.name}` changes something, so its Action Input counts only as strict JSON with nothing behind it; "
        f"yours had {why}. Send it again as {sample(Parameters(tool))}."
    )


def sample(parameters: Parameters) -> str:
    """How an Action Input looks."""
    names = parameters.required or tuple(parameters.schemas)[:1]
    return json.dumps({name: _sample(parameters.schemas.get(name, {})) for name in names}, ensure_ascii=False)


def _sample(schema: Mapping[str, Any]) -> Any:
    return next((value for kind, value in _SAMPLES.items() if kind in kinds(schema)), "…")


def missing(tool: OfferedTool) -> UnfitError:
    """What is said when a tool that needs arguments was given none."""
    parameters = Parameters(tool)
    return UnfitError(
        f"The Action Input is missing: `{tool.name}` takes {parameters.listed()}. "
        f"Write a line `Action Input: {sample(parameters)}` after the Action."
    )


def needs_input(tool: OfferedTool) -> bool:
    """True when the tool cannot be called without arguments."""
    return bool(Parameters(tool).required)
