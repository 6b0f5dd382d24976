"""Models without tool calls over real HTTP: chosen by the team, or after the first refusal of tools."""

import logging
from collections.abc import Callable

import pytest

from agents.errors import ModelRefusedError
from agents.fake_model.serving import FakeModel
from agents.models.base import Call, Message, ModelRequest, ToolSpec
from agents.models.openai_chat.registry import Models

Serve = Callable[[str], FakeModel]
Open = Callable[..., Models]
Ask = Callable[..., ModelRequest]

TOOLS = (
    ToolSpec("shelf.look", "看架上。", {"properties": {"item": {"type": "string"}}, "required": ["item"]}, "read"),
)
REFUSING = """
rules:
  - when: {tools: [shelf.look]}
    reply: {fault: {status: STATUS, message: "MESSAGE"}}
  - steps:
      - {text: "Thought: 我看看。\\nAction: shelf.look\\nAction Input: {\\"item\\": \\"螺栓\\"}"}
      - {text: "Thought: enough\\nFinal Answer: 12 bolts"}
"""


def _refusing(message: str = "gemma:2b does not support tools", status: int = 400) -> str:
    return REFUSING.replace("MESSAGE", message).replace("STATUS", str(status))


def test_the_first_refusal_of_tools_switches(
    fake_model: Serve, models: Open, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    """Asked natively once, refused, asked in text; from then on in text at once, said once in the log."""
    server = fake_model(_refusing())
    opened = models(server.url)
    with caplog.at_level(logging.WARNING, "agents.models.openai_chat.dialect"):
        model = opened.model("gemma:2b")
        first = model.complete(ask(tools=TOOLS, step=1))
        transcript = (
            Message("user", "你好"),
            Message("assistant", "", first.calls),
            Message("tool", "12", call_id="c1.0"),
        )
        second = model.complete(ask(*transcript, tools=TOOLS, step=2))
        other = opened.model("gemma:2b").complete(ask(tools=TOOLS))
    assert first.calls == (Call("c1.0", "shelf.look", {"item": "螺栓"}),)
    assert (first.text, first.thought, first.finish) == ("", "我看看。", "calls")
    assert (second.text, second.thought, second.calls) == ("12 bolts", "enough", ())
    assert other.calls == first.calls
    assert ["tools" in request.json() for request in server.requests] == [True, False, False, False]
    assert [record.getMessage() for record in caplog.records] == [
        "model gemma:2b at 127.0.0.1 takes no tools, which are described in the text protocol; "
        "it is asked so from now on"
    ]
    system, user, action, observation = server.requests[2].json()["messages"]
    assert "### shelf.look" in system["content"]
    assert user == {"role": "user", "content": "你好"}
    assert action == {"role": "assistant", "content": 'Action: shelf.look\nAction Input: {"item":"螺栓"}'}
    assert observation == {"role": "user", "content": "Observation: 12"}
    assert server.requests[2].json()["stop"] == ["\nObservation:", "\n观察："]


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("tools param requires --jinja flag", 500),
        ("No endpoints found that support tool use. To learn more about provider routing, visit", 404),
    ],
)
def test_a_refusal_with_another_status_switches(
    fake_model: Serve, models: Open, ask: Ask, message: str, status: int
) -> None:
    """llama.cpp answers 500 and gateways 404: neither is tried again as it was."""
    server = fake_model(_refusing(message, status))
    reply = models(server.url).model().complete(ask(tools=TOOLS))
    assert [call.tool for call in reply.calls] == ["shelf.look"]
    assert len(server.requests) == 2


def test_what_is_known_of_one_model_is_not_held_against_another(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Each model of an endpoint is asked natively first."""
    server = fake_model(
        "rules: [{when: {tools: [shelf.look], model: small}, reply: {fault: {status: 400, message: no tools,"
        ' code: "small does not support tools"}}},'
        " {when: {tools: [shelf.look]}, reply: {calls: [{tool: shelf.look, arguments: {item: a}}]}},"
        ' {reply: {text: "Action: shelf.look[a]"}}]'
    )
    opened = models(server.url)
    replies = [opened.model(name).complete(ask(tools=TOOLS)) for name in ("small", "large")]
    assert [reply.calls[0].arguments for reply in replies] == [{"item": "a"}, {"item": "a"}]
    assert ["tools" in request.json() for request in server.requests] == [True, False, True]


def test_a_team_can_choose_the_text_protocol(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Then tools are never sent natively."""
    server = fake_model('rules: [{reply: {text: "Action: shelf.look[a]"}}]')
    reply = models(server.url).model(protocol="text").complete(ask(tools=TOOLS))
    assert reply.calls == (Call("c1.0", "shelf.look", {"item": "a"}),)
    assert ["tools" in request.json() for request in server.requests] == [False]


def test_a_team_can_insist_on_native_calls(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A refusal is an error then, with the mend; it is not asked again in vain."""
    server = fake_model(_refusing())
    model = models(server.url).model(protocol="native")
    for _ in range(2):
        with pytest.raises(ModelRefusedError, match=r'takes no tools for this model. .*`protocol = "text"`'):
            model.complete(ask(tools=TOOLS))
    assert len(server.requests) == 1


def test_a_server_without_stop_sequences(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Refused once, left out from then on; what the model then invents is cut off by us."""
    refused = "Unsupported parameter: 'stop' is not supported with this model."
    server = fake_model(
        'rules: [{when: {request: 1}, reply: {fault: {status: 400, message: "' + refused + '"}}},'
        ' {reply: {text: "Action: shelf.look[a]\\nObservation: 5\\nFinal Answer: 5"}}]'
    )
    reply = models(server.url).model(protocol="text").complete(ask(tools=TOOLS))
    assert reply.calls[0].arguments == {"item": "a"}
    assert "You wrote an Observation yourself" in reply.calls[0].notes[0]
    assert ["stop" in request.json() for request in server.requests] == [True, False]


def test_without_tools_nothing_is_refused(fake_model: Serve, models: Open, ask: Ask) -> None:
    """An agent that has no tools is asked as ever by the same model."""
    server = fake_model(_refusing())
    assert models(server.url).model().complete(ask(Message("user", "hello"))).text.startswith("Thought: 我看看。")
    assert len(server.requests) == 1
