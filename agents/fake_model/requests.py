"""One request to a scripted model, and what its rules may ask of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast


class BadRequestError(ValueError):
    """The request is none that a chat-completions server would take; the message says why."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the request."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a chat completion, reduced to what rules look at."""

    number: int
    model: str
    turns: tuple[Turn, ...]
    tools: tuple[str, ...]
    stream: bool
    stream_usage: bool

    @property
    def system(self) -> str:
        """The system prompt."""
        return "\n".join(turn.text for turn in self.turns if turn.role in {"system", "developer"})

    @property
    def user(self) -> str:
        """The first message of the user."""
        return next((turn.text for turn in self.turns if turn.role == "user"), "")

    @property
    def last(self) -> Turn:
        """The last message."""
        return self.turns[-1]

    @property
    def last_results(self) -> tuple[str, ...]:
        """The results of the last reply's calls."""
        results: list[str] = []
        for turn in reversed(self.turns):
            if turn.role == "tool":
                results.append(turn.text)
            elif turn.role == "assistant":
                break
        return tuple(reversed(results))

    @property
    def results(self) -> tuple[str, ...]:
        """The results of all calls."""
        return tuple(turn.text for turn in self.turns if turn.role == "tool")

    @property
    def replies(self) -> int:
        """How many replies of the model the transcript holds."""
        return sum(turn.role == "assistant" for turn in self.turns)

    def names(self) -> dict[str, Any]:
        """What templates may quote."""
        results = [_parsed(text) for text in self.results]
        return {
            "request": self.number,
            "model": self.model,
            "system": self.system,
            "user": self.user,
            "last": self.last.text,
            "results": results,
            "result": results[-1] if results else "",
            "replies": self.replies,
        }


def asked(body: object, number: int) -> Asked:
    """Read a request's body. Raises BadRequestError."""
    if not isinstance(body, Mapping):
        raise BadRequestError("the body must be a JSON object")
    members = cast("Mapping[str, Any]", body)
    messages = members.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequestError("messages must be a list with at least one message")
    model = members.get("model")
    if not isinstance(model, str) or not model:
        raise BadRequestError("model must be a text")
    options = members.get("stream_options")
    return Asked(
        number=number,
        model=model,
        turns=tuple(_turn(message) for message in cast("list[Any]", messages)),
        tools=tuple(_tool_names(members.get("tools"))),
        stream=members.get("stream") is True,
        stream_usage=isinstance(options, Mapping) and bool(cast("Mapping[str, Any]", options).get("include_usage")),
    )


def _turn(message: object) -> Turn:
    if not isinstance(message, Mapping):
        raise BadRequestError("each message must be an object")
    members = cast("Mapping[str, Any]", message)
    role = members.get("role")
    if not isinstance(role, str):
        raise BadRequestError("each message must have a role")
    content = members.get("content")
    if isinstance(content, list):
        parts = [cast("Mapping[str, Any]", part) for part in cast("list[Any]", content) if isinstance(part, Mapping)]
        content = "".join(str(part.get("text", "")) for part in parts)
    return Turn(role, content if isinstance(content, str) else "")


def _tool_names(tools: object) -> list[str]:
    names: list[str] = []
    for tool in cast("list[Any]", tools) if isinstance(tools, list) else []:
        function = cast("Mapping[str, Any]", tool).get("function") if isinstance(tool, Mapping) else None
        if isinstance(function, Mapping):
            names.append(str(cast("Mapping[str, Any]", function).get("name")))
    return names


def _parsed(text: str) -> Any:
    """The JSON inside a tool's result, which may stand between other text; the text itself where there is none."""
    for start in sorted({text.find("{"), text.find("[")} - {-1}):
        try:
            return json.JSONDecoder(strict=False).raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
    return text
