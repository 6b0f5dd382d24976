"""A model whose every call is set aside in the budget before it is sent."""

import json
from collections.abc import Sequence

from agents.models.base import Message, Model, ModelReply, ModelRequest, ToolSpec
from workers.meter import TurnMeter

AROUND_MESSAGE = 24
"""Bytes of form around a message, a call or a tool."""


class MeteredModel:
    """Asks `model` within what the meter's budget allows."""

    def __init__(self, model: Model, meter: TurnMeter) -> None:
        self._model = model
        self._meter = meter

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply. Raises LimitReachedError besides what the model raises."""
        size = request_size(request)
        self._meter.set_aside(self._model.name, request.step, size, last=not request.tools)
        reply = self._model.complete(request)
        self._meter.took(size, reply.usage.input_tokens)
        return reply


def request_size(request: ModelRequest) -> int:
    """Bytes of all that a model reads of a request, about."""
    return sum(map(_message_size, request.messages)) + _tools_size(request.tools)


def _message_size(message: Message) -> int:
    calls = sum(_bytes(call.tool) + _json_size(call.arguments) + AROUND_MESSAGE for call in message.calls)
    return _bytes(message.text) + _bytes(message.thought) + calls + AROUND_MESSAGE


def _tools_size(tools: Sequence[ToolSpec]) -> int:
    return sum(
        _bytes(one.name) + _bytes(one.description) + _json_size(one.parameters) + AROUND_MESSAGE for one in tools
    )


def _json_size(value: object) -> int:
    return _bytes(json.dumps(value, ensure_ascii=False, default=str))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
