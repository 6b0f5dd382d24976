"""Whole replies of a real client from a real server."""

import json
from collections.abc import Callable

import pytest

from agents.fake_model.serving import FakeModel
from agents.models.base import Call, Message, ModelRequest, ToolSpec, Usage
from agents.models.openai_chat.model import Sampling
from agents.models.openai_chat.registry import Models
from agents.models.openai_chat.tries import TryEvent

Serve = Callable[[str], FakeModel]
Open = Callable[..., Models]
Ask = Callable[..., ModelRequest]

TOOLS = (ToolSpec("tables.profile", "Look at a table.", {"properties": {"name": {"type": "string"}}}),)


def test_a_text_with_usage(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Text, thought, usage and cost come back; the key, the temperature and the limit go out."""
    server = fake_model(
        "rules: [{reply: {text: 晴, thought: I look., usage: {input: 1000, output: 100}}}]",
    )
    reply = models(server.url).model("gpt-4o").complete(ask())
    assert (reply.text, reply.thought, reply.finish, reply.calls) == ("晴", "I look.", "stop", ())
    assert reply.usage == Usage("gpt-4o", 1000, 100, "0.0035")
    (exchange,) = server.requests
    assert exchange.headers["authorization"] == "Bearer sk-scripted"
    assert exchange.json() == {
        "model": "gpt-4o",
        "temperature": 0.2,
        "max_tokens": 2048,
        "messages": [{"role": "user", "content": "你好"}],
    }
    assert "你好".encode() in exchange.body


def test_calls_and_their_results_go_to_and_fro(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Two calls with one id from the server get ids of ours; their results find them again."""
    server = fake_model("""
rules:
  - steps:
      - calls:
          - {tool: tables.profile, arguments: {name: left}, id: same}
          - {tool: tables.profile, arguments: {name: right}, id: same}
      - {text: "{{ results | length }} results, the last with {{ result.rows }} rows"}
""")
    model = models(server.url).model()
    first = model.complete(ask(tools=TOOLS, step=3))
    assert first.finish == "calls"
    assert first.calls == (
        Call("c3.0", "tables.profile", {"name": "left"}),
        Call("c3.1", "tables.profile", {"name": "right"}),
    )
    transcript = (
        Message("user", "你好"),
        Message("assistant", calls=first.calls),
        Message("tool", '{"rows": 3}', call_id="c3.0"),
        Message("tool", '{"rows": 4}', call_id="c3.1"),
    )
    assert model.complete(ask(*transcript, tools=TOOLS, step=4)).text == "2 results, the last with 4 rows"
    sent = server.requests[1].json()["messages"]
    assert [call["id"] for call in sent[1]["tool_calls"]] == [sent[2]["tool_call_id"], sent[3]["tool_call_id"]]
    assert sent[2]["tool_call_id"] != sent[3]["tool_call_id"]


@pytest.mark.parametrize(
    ("arguments", "malformed"),
    [
        ("'hello'", "hello"),
        ("'[1, 2]'", "[1, 2]"),
        ("'null'", "null"),
        ("'{\"a\": NaN}'", '{"a": NaN}'),
        ('\'{"a": "cut o\'', '{"a": "cut o'),
    ],
)
def test_malformed_arguments_are_kept_as_text(
    fake_model: Serve, models: Open, ask: Ask, arguments: str, malformed: str
) -> None:
    """A call whose arguments are no object comes back marked, and is never sent again as it was."""
    server = fake_model(f"""
rules:
  - steps:
      - calls: [{{tool: tables.profile, arguments: {arguments}}}]
      - text: done
""")
    model = models(server.url).model()
    call = model.complete(ask(tools=TOOLS)).calls[0]
    assert (call.arguments, call.malformed) == ({}, malformed)
    history = (Message("user", "x"), Message("assistant", calls=(call,)), Message("tool", "no", call_id=call.id))
    model.complete(ask(*history, tools=TOOLS, step=2))
    assert server.requests[1].json()["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_a_reply_that_was_cut_off_says_so(fake_model: Serve, models: Open, ask: Ask) -> None:
    """With `length` nobody runs its calls; it is a reply all the same, and is not tried again."""
    server = fake_model(
        'rules: [{reply: {calls: [{tool: tables.profile, arguments: \'{"name": "le\'}], finish: length}}]'
    )
    reply = models(server.url).model().complete(ask(tools=TOOLS))
    assert reply.finish == "length"
    assert reply.calls[0].malformed == '{"name": "le'
    assert len(server.requests) == 1


def test_absent_arguments_and_content(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A call without arguments in a message without content."""
    server = fake_model("rules: [{reply: {calls: [{tool: tables.profile, arguments: null, id: ''}]}}]")
    reply = models(server.url).model().complete(ask(tools=TOOLS, step=9))
    assert (reply.text, reply.calls) == ("", (Call("c9.0", "tables.profile", {}),))


def test_a_body_of_any_shape(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Parts as content, arguments as an object, a wrong finish reason."""
    server = fake_model("""
rules:
  - reply:
      body:
        choices:
          - finish_reason: stop
            message:
              content: [{type: text, text: "one "}, {type: text, text: two}]
              tool_calls: [{function: {name: tables__profile, arguments: {name: left, n: 12345678901234567890123}}}]
""")
    reply = models(server.url).model().complete(ask(tools=TOOLS))
    assert (reply.text, reply.finish) == ("one two", "calls")
    assert reply.calls[0].arguments == {"name": "left", "n": 12345678901234567890123}


def test_usage_is_estimated_and_flagged_where_it_is_missing(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A budget always has a number; whoever observes the try sees that it is a guess."""
    server = fake_model("rules: [{reply: {text: '12345678', usage: none}}]")
    events: list[TryEvent] = []
    reply = models(server.url, on_try=events.append).model().complete(ask())
    assert reply.usage.output_tokens == 2
    assert reply.usage.input_tokens == events[0].sent_tokens > 10
    assert [event.estimated for event in events] == [False, True]


def test_a_server_that_only_streams(fake_model: Serve, models: Open, ask: Ask) -> None:
    """The refusal teaches to stream; the pieces become one reply; the server is asked so from then on."""
    server = fake_model("""
rules:
  - when: {request: 1}
    reply: {fault: {status: 400, message: This model only support stream mode}}
  - reply:
      text: 上海今天是晴天，气温二十度。
      thought: I look at the weather.
      calls: [{tool: tables.profile, arguments: {name: 城市}}]
      usage: {input: 7, output: 8}
""")
    model = models(server.url, tries=1).model()
    for _ in range(2):
        reply = model.complete(ask(tools=TOOLS))
        assert (reply.text, reply.thought) == ("上海今天是晴天，气温二十度。", "I look at the weather.")
        assert reply.calls == (Call("c1.0", "tables.profile", {"name": "城市"}),)
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 8)
    assert [exchange.json().get("stream") for exchange in server.requests] == [None, True, True]


def test_quirks_are_learnt_one_after_another(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A reasoning model refuses the limit's name, then the temperature; each is told once for the process."""
    server = fake_model("""
rules:
  - when: {request: 1}
    reply: {fault: {status: 400, message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}
  - when: {request: 2}
    reply: {fault: {status: 400, message: "'temperature' does not support 0.2 with this model.", param: temperature}}
  - reply: {text: ok}
""")
    opened = models(server.url, tries=1)
    assert opened.model().complete(ask()).text == "ok"
    assert opened.model(sampling=Sampling(max_output=9)).complete(ask()).text == "ok"
    settings = [
        {k: v for k, v in exchange.json().items() if k not in {"model", "messages"}} for exchange in server.requests
    ]
    assert settings == [
        {"temperature": 0.2, "max_tokens": 2048},
        {"temperature": 0.2, "max_completion_tokens": 2048},
        {"max_completion_tokens": 2048},
        {"max_completion_tokens": 9},
    ]


def test_schemas_with_references_are_inlined(fake_model: Serve, models: Open, ask: Ask) -> None:
    """No server sees `$ref`."""
    server = fake_model("rules: [{reply: {text: ok}}]")
    schema = {"$defs": {"U": {"enum": ["千克"]}}, "properties": {"unit": {"$ref": "#/$defs/U"}}}
    models(server.url).model().complete(ask(tools=(ToolSpec("scale", "Weigh.", schema),)))
    sent = server.requests[0]
    assert sent.json()["tools"][0]["function"]["parameters"]["properties"] == {"unit": {"enum": ["千克"]}}
    assert "千克".encode() in sent.body
    assert json.dumps(schema) not in sent.body.decode()


def test_reasoning_goes_back_as_the_server_wants_it(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Not at first, since some refuse it; after a server missed it, with every reply of this model."""
    server = fake_model("""
rules:
  - when: {request: 1}
    reply: {fault: {status: 400, message: "Missing `reasoning_content` field in the assistant message at index 2."}}
  - reply: {text: ok}
""")
    replied = Message("assistant", "4", opaque={"reasoning_content": "2 + 2"}, model=models(server.url).model().name)
    request = ask(Message("user", "2 + 2?"), replied, Message("user", "Sure?"))
    assert models(server.url, tries=1).model().complete(request).text == "ok"
    sent = [[message.get("reasoning_content") for message in one.json()["messages"]] for one in server.requests]
    assert sent == [[None, None, None], [None, "2 + 2", None]]
