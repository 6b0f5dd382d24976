"""The models of one endpoint by name; all of them share one client, opened when the first is asked."""

import threading
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from agents.models.base import Model, ProtocolName
from agents.models.openai_chat.answers import Sender
from agents.models.openai_chat.dialect import Dialects
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.model import OpenAIChat, Sampling, Shared
from agents.models.openai_chat.retry import Retry
from agents.models.openai_chat.tries import OnTry
from agents.models.text.automatic import Automatic
from agents.models.text.model import Renderers, TextProtocol
from orchestrator.errors import ConfigError

_DEFAULT = Sampling()
_THREE_TRIES = Retry()


class Models:
    """Gives the models of `endpoint`. One a process; close it at the end."""

    def __init__(self, endpoint: Endpoint, *, on_try: OnTry | None = None, retry: Retry = _THREE_TRIES) -> None:
        self._endpoint = endpoint
        self._client: Sender | None = None
        self._lock = threading.Lock()
        self._renderers = Renderers()
        host = urlsplit(endpoint.address).hostname or ""
        self._shared = Shared(endpoint.shown, self._open, Dialects(host), retry, on_try)

    def model(self, name: str | None = None, sampling: Sampling = _DEFAULT, protocol: ProtocolName = "auto") -> Model:
        """The model `name`, or the endpoint's own when an agent names none. Raises ConfigError when neither does."""
        chosen = name or self._endpoint.model
        if not chosen:
            raise ConfigError(
                "no model is named", where="REMIT_MODEL", mend="Set it, or name a model for each agent of the team."
            )
        native = OpenAIChat(chosen, sampling, self._shared)
        if protocol == "native":
            return native
        text = TextProtocol(native, self._renderers)
        if protocol == "text":
            return text
        return Automatic(native, text, lambda: self._shared.dialects.of(chosen).tools)

    def warm(self) -> None:
        """Open the client ahead of the first call, which otherwise pays about a second for it."""
        self._open()

    def close(self) -> None:
        """Close the connections; the models cannot be asked any more."""
        with self._lock:
            if self._client is not None:
                self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> Sender:
        if self._client is None:
            with self._lock:
                if self._client is None:
                    self._client = opened(self._endpoint)
        return self._client


def opened(endpoint: Endpoint) -> Sender:
    """A client of `endpoint`."""
    # Importing the `openai` package takes 0.8 s: a process that never asks a model never does it.
    from agents.models.openai_chat.client import OpenAIClient  # noqa: PLC0415

    return OpenAIClient(endpoint)
