"""Agents get their models as they were pinned."""

import pytest

from agents.catalog import AgentSpec
from agents.models.base import ProtocolName
from agents.models.openai_chat.model import OpenAIChat
from agents.models.text.automatic import Automatic
from agents.models.text.model import TextProtocol
from orchestrator.config import Settings
from workers.models import ConfiguredModels


@pytest.mark.parametrize(("protocol", "kind"), [("auto", Automatic), ("native", OpenAIChat), ("text", TextProtocol)])
def test_the_protocol_is_the_teams_choice(protocol: ProtocolName, kind: type) -> None:
    """The same model, told of its tools in one way or the other."""
    settings = Settings(OPENAI_BASE_URL="http://127.0.0.1:1/v1", REMIT_MODEL="small")  # pyright: ignore[reportCallIssue]
    agent = AgentSpec(name="keeper", kind="specialist", model="large", protocol=protocol)
    model = ConfiguredModels(settings).model_of(agent)
    assert type(model) is kind
    assert model.name == "large"
