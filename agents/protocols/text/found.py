"""A tool call that was found inside text, and what becomes of its arguments."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from agents.protocols.nested import unnested
from agents.protocols.text.input import Given, read_input
from agents.protocols.text.offered import OfferedTool, Parameters
from agents.protocols.text.unfit import UnfitError, check_exact

NAMES = ("name", "tool", "toolname", "function", "functionname", "action", "recipientname")
ARGUMENTS = ("arguments", "parameters", "args", "actioninput", "toolinput", "input")


@dataclass(frozen=True, slots=True)
class Found:
    """One call: the tool's name as written, the tool if it is offered, its arguments as sent, and its place."""

    name: str
    tool: OfferedTool | None
    sent: object
    start: int
    end: int
    liberties: frozenset[str] = frozenset()

    def given(self) -> Given:
        """The arguments. Raises UnfitError, also when a tool with an effect was not called exactly."""
        if self.tool is None:
            members = cast("dict[str, Any]", self.sent) if isinstance(self.sent, dict) else {}
            return Given(members, self.end)
        given = self._given(self.tool)
        check_exact(self.tool, given.liberties)
        return given

    def raw(self) -> str:
        """The arguments as text, as they were sent."""
        return self.sent if isinstance(self.sent, str) else json.dumps(self.sent, ensure_ascii=False)

    def _given(self, tool: OfferedTool) -> Given:
        if isinstance(self.sent, dict):
            schemas = Parameters(tool).schemas
            members = cast("dict[str, Any]", self.sent)
            arguments = {name: unnested(value, schemas.get(name, {})) for name, value in members.items()}
            return Given(arguments, self.end, self.liberties)
        raw = self.raw()
        given = read_input(raw, 0, len(raw), tool)
        if given.end < len(raw.rstrip()):
            raise UnfitError(f"The arguments of `{tool.name}` were no JSON object. Send one.")
        return Given(given.arguments, self.end, self.liberties | given.liberties)


def call_parts(value: object) -> tuple[str, object] | None:
    """(name, arguments) of an object that describes a call; None for any other value."""
    if not isinstance(value, Mapping):
        return None
    members = {_folded(key): item for key, item in cast("Mapping[str, Any]", value).items()}
    inner = members.get("function")
    if isinstance(inner, Mapping):
        return call_parts(cast("Mapping[str, Any]", inner))
    name = next((members[key] for key in NAMES if isinstance(members.get(key), str)), None)
    key = next((key for key in ARGUMENTS if key in members), None)
    return (name, members[key]) if name and key else None


def _folded(key: str) -> str:
    return key.replace("_", "").replace(" ", "").casefold()
