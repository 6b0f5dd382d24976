"""A scripted model server over real HTTP, and models that ask it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agents.errors import ToolError
from agents.fake_model.loading import parse_yaml
from agents.fake_model.serving import FakeModel, serve
from agents.models.base import Message, ModelRequest, ToolSpec
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.registry import Models
from agents.models.openai_chat.retry import Retry
from agents.models.openai_chat.tries import OnTry
from orchestrator.ports.clock import Deadline

Serve = Callable[[str], FakeModel]
Open = Callable[..., Models]
Ask = Callable[..., ModelRequest]


@pytest.fixture
def fake_model() -> Iterator[Serve]:
    """Serves a script given as YAML; stops at the end of the test."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(serve(parse_yaml(script)))


@pytest.fixture
def models() -> Iterator[Open]:
    """Opens the models of a server, with back-offs short enough for a test; closes them at the end."""
    with ExitStack() as stack:

        def opened(url: str, *, key: str = "sk-scripted", on_try: OnTry | None = None, tries: int = 3) -> Models:
            retry = Retry(tries=tries, first=0.01, most=0.02)
            return stack.enter_context(Models(Endpoint(url, key, "fake"), on_try=on_try, retry=retry))

        yield opened


@pytest.fixture
def ask() -> Ask:
    """Makes a request with one message, or with those given."""

    def make(
        *messages: Message, tools: tuple[ToolSpec, ...] = (), step: int = 1, seconds: float = 30.0
    ) -> ModelRequest:
        return ModelRequest(messages or (Message("user", "你好"),), tools, step, Deadline.after(seconds))

    return make


class NoEvidence:
    """A run without inputs, observations and files."""

    def input(self, name: str) -> Path:
        """None."""
        raise ToolError("unknown_input", name)

    def input_names(self) -> dict[str, str]:
        """None."""
        return {}

    def observed(self, ref: str) -> Any:
        """None."""
        raise ToolError("unknown_evidence", ref)

    def files(self) -> dict[str, int]:
        """None."""
        return {}

    def file(self, name: str) -> Path:
        """None."""
        raise ToolError("unknown_file", name)

    def setting(self, name: str) -> str | None:
        """Nothing is set."""
        del name
        return None


@pytest.fixture
def no_evidence() -> NoEvidence:
    """What the tools of an agent may look into: nothing."""
    return NoEvidence()
