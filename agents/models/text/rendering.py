"""Renders a transcript with calls as one of texts; each message is rendered once, as long as it grows at its end."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from jinja2 import Environment, StrictUndefined, Template

from agents.models.base import Message, ModelRequest, ToolSpec
from agents.prompts import template
from agents.protocols.json_text import dumps
from agents.protocols.schemas import inlined
from agents.protocols.text.writing import OBSERVATION, written_action


class Renderer:
    """Renders requests. One renderer serves one transcript at a time, in one thread.

    Messages are known again by their identity, and the same ones come back for them, so that whoever encodes
    them next knows them again too.
    """

    def __init__(self) -> None:
        self._parts: dict[int, tuple[Message, tuple[Message, ...]]] = {}
        self._system: tuple[Message | None, tuple[ToolSpec, ...], Message] = (None, (), Message("system"))

    def messages(self, request: ModelRequest) -> tuple[Message, ...]:
        """The transcript of a request, with its tools described in the system message."""
        rest = request.messages
        system = rest[0] if rest and rest[0].role == "system" else None
        texts = self._texts(rest[1:] if system else rest)
        if request.tools or uses_tools(rest):
            return (self._described(system, request.tools), *_merged(texts))
        return (*((system,) if system else ()), *_merged(texts))

    def _described(self, system: Message | None, tools: tuple[ToolSpec, ...]) -> Message:
        held, described, message = self._system
        if held is not system or described != tools or not message.text:
            text = "\n\n".join(part for part in (system.text if system else "", protocol_prompt(tools)) if part)
            self._system = (system, tools, Message("system", text))
        return self._system[2]

    def _texts(self, messages: Iterable[Message]) -> Iterator[Message]:
        known, self._parts = self._parts, {}
        actions: dict[str, Message] = {}
        for message in messages:
            # The entry holds the message, so no other object can have its id while the entry lives.
            entry = known.get(id(message)) or (message, _rendered(message))
            self._parts[id(message)] = entry
            if message.calls:
                actions = {call.id: text for call, text in zip(message.calls, entry[1], strict=True)}
                continue
            if message.role == "tool" and (action := actions.pop(message.call_id or "", None)):
                yield action
            yield from entry[1]


def uses_tools(messages: Sequence[Message]) -> bool:
    """True when a transcript holds calls."""
    return any(message.calls for message in messages)


def protocol_prompt(tools: Sequence[ToolSpec]) -> str:
    """What a model is told of the protocol and of its tools. Raises TeamError for a schema that cannot be shown."""
    listed = [
        {
            "name": tool.name,
            "description": tool.description,
            "schema": dumps(inlined(tool.parameters, f"tool {tool.name}"), f"the schema of tool {tool.name}"),
        }
        for tool in tools
    ]
    return _template().render(tools=listed).strip()


def _rendered(message: Message) -> tuple[Message, ...]:
    if message.role == "tool":
        return (Message("user", OBSERVATION + message.text),)
    if not message.calls:
        return (message,)
    thoughts = (message.thought or message.text, *[""] * (len(message.calls) - 1))
    return tuple(
        Message("assistant", written_action(call.tool, call.malformed or call.arguments, thought))
        for call, thought in zip(message.calls, thoughts, strict=True)
    )


def _merged(messages: Iterable[Message]) -> list[Message]:
    """Two messages of the user in a row as one: the templates of many models want the roles to take turns."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role == "user":
            merged[-1] = Message("user", f"{merged[-1].text}\n\n{message.text}")
        else:
            merged.append(message)
    return merged


@cache
def _template() -> Template:
    # Autoescape is for HTML; this text goes to a model.
    environment = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    return environment.from_string(template("text_protocol.md.j2"))
