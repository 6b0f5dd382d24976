"""Holds the encoded parts of one transcript that only grows, so that each of its messages is encoded once."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.models.base import Message, ToolSpec
from agents.models.native.writing import Shape, encode_message, encode_tools
from agents.protocols.json_text import dumps


class Encoder:
    """Joins request bodies from encoded parts. One encoder serves one transcript at a time, in one thread.

    A message is known again by its identity: whoever keeps a transcript appends to it and keeps the objects.
    A new transcript, or a shortened one, simply finds fewer of its messages here.
    """

    def __init__(self) -> None:
        self._shape = Shape()
        self._model = ""
        self._parts: dict[int, tuple[Message, bytes]] = {}
        self._tools: tuple[tuple[ToolSpec, ...], bytes] = ((), b"[]")
        self.encoded = 0
        """Messages encoded so far; what was found again is not counted."""

    def body(
        self,
        settings: Mapping[str, Any],
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        shape: Shape,
    ) -> bytes:
        """The whole request: the settings' members, then the tools where there are any, then the messages."""
        model = str(settings.get("model", ""))
        if shape != self._shape or model != self._model:
            self._shape, self._model, self._parts, self._tools = shape, model, {}, ((), b"[]")
        head = dumps(settings, "the model's settings").encode()[:-1]
        offered = b',"tools":' + self._tool_list(tools) if tools else b""
        return b"".join((head, offered, b',"messages":[', b",".join(self._message_parts(messages)), b"]}"))

    def _message_parts(self, messages: Sequence[Message]) -> list[bytes]:
        known = self._parts
        kept: dict[int, tuple[Message, bytes]] = {}
        for message in messages:
            # The entry holds the message, so no other object can have its id while the entry lives.
            entry = known.get(id(message))
            if entry is None:
                entry = (message, encode_message(message, self._shape, self._model))
                self.encoded += 1
            kept[id(message)] = entry
        self._parts = kept
        return [kept[id(message)][1] for message in messages]

    def _tool_list(self, tools: Sequence[ToolSpec]) -> bytes:
        held, encoded = self._tools
        if held != tuple(tools):
            encoded = encode_tools(tools, self._shape)
            self._tools = (tuple(tools), encoded)
        return encoded
