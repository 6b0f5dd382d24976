"""Real calls over HTTP: what a try costs by how it ended."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.models.base import Message, ModelRequest
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.registry import Models
from agents.models.openai_chat.retry import Retry
from orchestrator.errors import RemitError
from orchestrator.ports.clock import Deadline
from workers.meter import TurnMeter
from workers.metered_model import MeteredModel
from workers.tries import Tries

REPLY = "rules: [{reply: {text: done, usage: {input: 40, output: 7}}}]"


def asked(url: str, meter: TurnMeter, tries: int = 3) -> Any:
    """One call of the model, within the meter's budget; the reply, or what it failed with."""
    listen = Tries()
    request = ModelRequest((Message("user", "x" * 376),), (), 1, Deadline.after(10))
    retry = Retry(tries=tries, first=0.01)
    with Models(Endpoint(url, "sk-x", "fake"), on_try=listen, retry=retry) as models, listen.turn("r1", meter):
        try:
            return MeteredModel(models.model(), meter).complete(request)
        except RemitError as error:
            return error


def test_an_answer_leaves_the_charge_to_its_step(
    fake_model: Callable[[str], Any], meter: Callable[..., TurnMeter], reserved: Callable[[], Any]
) -> None:
    """Until the step is stored all that was set aside stays so."""
    assert asked(fake_model(REPLY).url, meter(tokens=1000)).text == "done"
    assert reserved() == {"tokens": (0, 301)}


@pytest.mark.parametrize(
    ("fault", "lost"),
    [("{status: 500}", 0), ("{status: 429}", 0), ("cut", 1), ("reset", 1), ("garbage", 1)],
)
def test_a_try_that_may_have_been_answered_is_charged(
    fake_model: Callable[[str], Any],
    meter: Callable[..., TurnMeter],
    reserved: Callable[[], Any],
    fault: str,
    lost: int,
) -> None:
    """An error's page costs nothing; a connection that broke, or an answer without a reply, may."""
    script = f"rules: [{{times: 1, reply: {{fault: {fault}}}}}, {{reply: {{text: done}}}}]"
    assert asked(fake_model(script).url, meter(tokens=1000)).text == "done"
    assert reserved() == {"tokens": (301 * lost, 301)}


def test_a_server_that_is_not_there_costs_nothing(meter: Callable[..., TurnMeter], reserved: Callable[[], Any]) -> None:
    """However often it is tried."""
    assert "did not answer" in str(asked("http://127.0.0.1:9/v1", meter(tokens=1000)))
    assert reserved() == {"tokens": (0, 301)}


def test_tries_that_are_lost_use_the_budget_up(
    fake_model: Callable[[str], Any], meter: Callable[..., TurnMeter], reserved: Callable[[], Any]
) -> None:
    """The third try would not fit any more: it is not made."""
    server = fake_model("rules: [{reply: {fault: cut}}]")
    assert "of 800 tokens is reached: 602 tokens used" in str(asked(server.url, meter(tokens=800), tries=5))
    assert len(server.requests) == 2
    assert reserved() == {"tokens": (602, 0)}
