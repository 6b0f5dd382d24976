"""Agents get their models as they were pinned."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest

from agents.catalog import AgentSpec, Team, load_team
from agents.models.base import Model, ProtocolName
from agents.models.fallback import Fallback
from agents.models.openai_chat.model import OpenAIChat
from agents.models.text.automatic import Automatic
from agents.models.text.model import TextProtocol
from orchestrator.config import Settings
from workers.models import ConfiguredModels, with_models


@pytest.mark.parametrize(("protocol", "kind"), [("auto", Automatic), ("native", OpenAIChat), ("text", TextProtocol)])
def test_the_protocol_is_the_teams_choice(protocol: ProtocolName, kind: type) -> None:
    """The same model, told of its tools in one way or the other."""
    settings = Settings(OPENAI_BASE_URL="http://127.0.0.1:1/v1", REMIT_MODEL="small")  # pyright: ignore[reportCallIssue]
    agent = AgentSpec(name="keeper", kind="specialist", model="large", protocol=protocol)
    model = ConfiguredModels(settings).model_of(agent)
    assert type(model) is kind
    assert model.name == "large"


def settings(**more: str) -> Settings:
    """What an environment with an endpoint says."""
    return Settings.model_validate({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", **more})


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """A team in which two agents name models of their own."""
    text = """
name = "t"
[planner]
[agents.own]
instructions_text = "Do it."
model = "large"
[agents.both]
instructions_text = "Do it."
model = "large"
fallbacks = ["small", "large", "playbook"]
playbook = "agents.teams.reconcile.playbook:plan"
[composer]
[reviewer]
"""
    (tmp_path / "team.toml").write_text(text, encoding="utf-8")
    return load_team(str(tmp_path))


def test_who_stands_in_is_pinned(team: Team) -> None:
    """The installation's fallbacks go with its own model; an agent with a model of its own names its own."""
    pinned = with_models(team, settings(REMIT_MODEL="usual", REMIT_FALLBACKS="spare, usual,, last"))
    found = {one.name: (one.model, one.fallbacks) for one in pinned.agents()}
    assert found["planner"] == found["composer"] == ("usual", ("spare", "last"))
    assert found["own"] == ("large", ())
    assert found["both"] == ("large", ("small", "playbook"))
    assert with_models(pinned, settings()) == pinned


def test_an_agent_with_fallbacks_asks_them_in_turn(team: Team) -> None:
    """Its own model gives the name; one try may take as long as the agent says."""
    agent = AgentSpec(name="keeper", kind="specialist", model="large", fallbacks=("small",), timeout=7)
    model = ConfiguredModels(settings()).model_of(agent)
    assert isinstance(model, Fallback)
    assert model.name == "large"
    names: list[str] = []

    def wrap(one: Model) -> Model:
        names.append(one.name)
        return one

    model.each(wrap)
    assert names == ["large", "small"]


def test_threads_that_begin_together_share_one_client() -> None:
    """The endpoint is looked up once, whoever comes meanwhile: a second client would be closed by nobody."""
    looks: list[str] = []
    both = Barrier(2)

    class Looked(Settings):
        def __getattribute__(self, name: str) -> Any:
            if name == "openai_base_url":
                looks.append(name)
                with suppress(BrokenBarrierError):
                    both.wait(timeout=0.2)  # time for the other one to come here as well
            return super().__getattribute__(name)

    looked = Looked.model_validate({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    models = ConfiguredModels(looked)
    agent = AgentSpec(name="keeper", kind="specialist", model="large")
    looks.clear()
    with ThreadPoolExecutor(2) as threads:
        assert len(list(threads.map(models.model_of, [agent, agent]))) == 2
    assert looks == ["openai_base_url"]
