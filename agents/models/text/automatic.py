"""Asks with native tool calls until the endpoint refuses tools for this model, then in the text protocol."""

from collections.abc import Callable

from agents.errors import ToolsRefusedError
from agents.models.base import Model, ModelReply, ModelRequest


class Automatic:
    """The Model port around two ways to ask one model; `takes_tools` is what is known of its endpoint."""

    def __init__(self, native: Model, text: Model, takes_tools: Callable[[], bool]) -> None:
        self._native = native
        self._text = text
        self._takes_tools = takes_tools

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._native.name

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply. Raises ModelUnavailableError, ModelRefusedError, ContextOverflowError."""
        if self._takes_tools():
            try:
                return self._native.complete(request)
            except ToolsRefusedError:
                pass  # the endpoint is known for it now, and the log says so
        return self._text.complete(request)
