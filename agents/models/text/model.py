"""A model that speaks the text protocol: any model that answers texts, asked without tools and read as if with them."""

import threading
from dataclasses import replace

from agents.models.base import Call, Model, ModelReply, ModelRequest
from agents.models.text.rendering import Renderer, uses_tools
from agents.protocols.call_ids import own_id
from agents.protocols.text.reading import read_answer, read_reply
from agents.protocols.text.readings import Action, Final, Reading
from agents.protocols.text.writing import STOP


class Renderers(threading.local):
    """One renderer a thread: a turn runs in one thread, and works on one transcript."""

    def __init__(self) -> None:
        self.renderer = Renderer()


class TextProtocol:
    """The Model port around a model that cannot call tools. As safe to use from many threads as that is."""

    def __init__(self, inner: Model, renderers: Renderers | None = None) -> None:
        self._inner = inner
        self._renderers = renderers or Renderers()

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._inner.name

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply, read. Raises what the model raises."""
        asked = replace(
            request,
            messages=self._renderers.renderer.messages(request),
            tools=(),
            stop=STOP if request.tools else request.stop,
        )
        return interpreted(self._inner.complete(asked), request)


def interpreted(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """A reply in the text protocol as any other: with a call, with an answer, or with what was wrong."""
    if reply.calls or reply.finish in {"length", "filter"}:
        return reply
    if request.tools:
        return _meant(reply, read_reply(reply.text, request.tools), request.step)
    # An agent that has no tools at all was never told of the protocol.
    return _meant(reply, read_answer(reply.text), request.step) if uses_tools(request.messages) else reply


def _meant(reply: ModelReply, reading: Reading, step: int) -> ModelReply:
    reply = replace(reply, thought="\n".join(part for part in (reply.thought, reading.thought) if part))
    if isinstance(reading, Action):
        call = Call(own_id(step, 0), reading.tool, reading.arguments, notes=reading.notes)
        return replace(reply, text="", calls=(call,), finish="calls")
    if isinstance(reading, Final):
        return replace(reply, text=reading.answer)
    return replace(reply, faults=reading.reasons)
