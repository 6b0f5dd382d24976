"""A model that is away or refuses costs a run nothing but its own tries: the next one of the agent answers."""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from agents.catalog import AgentSpec
from agents.errors import ModelRefusedError, ModelUnavailableError
from agents.fake_model.loading import parse_yaml
from agents.fake_model.serving import serve
from agents.models.base import Message, ModelRequest
from agents.models.fallback import Fallback, Resting
from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.config import Settings
from orchestrator.domain.goal import Limits
from orchestrator.ports.clock import Deadline
from workers.metering import Metering
from workers.models import ConfiguredModels
from workers.tries import Tries

Make = Callable[..., Any]


class Away:
    """A model that is never there."""

    name = "away"

    def __init__(self, failure: Exception) -> None:
        self._failure = failure
        self.asked = 0

    def complete(self, request: Any) -> Any:
        """Raise."""
        del request
        self.asked += 1
        raise self._failure


class Both:
    """Gives each agent two models."""

    def __init__(self, *models: Any) -> None:
        self._model = Fallback(models, Resting())

    def model_of(self, agent: Any) -> Any:
        """The two."""
        del agent
        return self._model


def priced(model: str, input_tokens: int, output_tokens: int) -> str:
    """What calls cost: a cent a call, whichever model."""
    del model, input_tokens, output_tokens
    return "0.01"


@pytest.mark.parametrize("failure", [ModelUnavailableError("it is down"), ModelRefusedError("no such model")])
def test_a_run_is_done_by_the_model_that_answers(flow: Make, failure: Exception) -> None:
    """Each step names the model that replied, and the run pays for what it used: nothing stays set aside."""
    engine = flow()
    away = Away(failure)
    metering = Metering(engine.store, priced, Tries())
    engine.runner = engine.a_runner(Both(away, engine.model), "w2", metering)
    run = engine.submit(limits=Limits(cost=Decimal(1), tokens=60_000))
    engine.work()
    progress = engine.progress(run.id)
    assert progress.state == "done"
    assert away.asked >= 1
    assert {(one.model, one.calls, one.cost) for one in progress.usage} == {("words", 5, "0.005")}


def test_over_http_as_a_team_says() -> None:
    """The endpoint refuses the agent's own model; the next one gets the same question."""
    script = """
rules:
  - when: {model: large}
    reply: {fault: {status: 403, message: "You have no access to large."}}
  - when: {model: small}
    reply: {text: from small}
"""
    agent = AgentSpec(name="keeper", kind="specialist", model="large", fallbacks=("small",))
    with serve(parse_yaml(script)) as server:
        models = ConfiguredModels(Settings.model_validate({"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-x"}))
        reply = models.model_of(agent).complete(ModelRequest((Message("user", "你好"),), (), 1, Deadline.after(30)))
        models.close()
        asked = [one.json() for one in server.requests]
    assert (reply.text, reply.usage.model) == ("from small", "small")
    assert [one["model"] for one in asked] == ["large", "small"]
    assert asked[0]["messages"] == asked[1]["messages"]


def test_a_long_wait_for_one_model_is_the_others_turn() -> None:
    """Its endpoint asks for a minute: the next one answers now, and the first is left alone meanwhile."""
    script = """
rules:
  - when: {model: large}
    reply: {fault: {status: 429, retry_after: 60}}
  - when: {model: small}
    reply: {text: from small}
"""
    agent = AgentSpec(name="keeper", kind="specialist", model="large", fallbacks=("small",))
    tries = Tries(MemoryLimiter(time.time))
    with serve(parse_yaml(script)) as server:
        settings = Settings.model_validate({"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-x"})
        models = ConfiguredModels(settings, tries)
        with tries.turn("r1", None):
            model = models.model_of(agent)
            for step in (1, 2):
                request = ModelRequest((Message("user", "你好"),), (), step, Deadline.after(30))
                assert model.complete(request).text == "from small"
        models.close()
        asked = [one.json()["model"] for one in server.requests]
    assert asked == ["large", "small", "small"]
