"""The bytes on the wire, against those of the client's own `create()`."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from openai import OpenAI

from agents.fake_model.serving import FakeModel
from agents.models.base import Call, Message, ModelRequest, ToolSpec
from agents.models.openai_chat.model import Sampling
from agents.models.openai_chat.registry import Models

Serve = Callable[[str], FakeModel]
Open = Callable[..., Models]
Ask = Callable[..., ModelRequest]

SCHEMA = {"type": "object", "properties": {"名称": {"type": "string", "description": "哪张表"}}, "required": ["名称"]}
TOOLS = (ToolSpec("tables.profile", "看一张表", SCHEMA), ToolSpec("clock", "The time.", {}))
TRANSCRIPT = (
    Message("system", 'You are 分析师 — "quotes", \\ and \u2028 inside.'),
    Message("user", "对账 <b>&amp;</b> 😀\n\tЖ"),
    Message("assistant", calls=(Call("c1.0", "tables.profile", {"名称": "总账", "n": 1.5, "b": None, "l": [True]}),)),
    Message("tool", '{"行数": 3}', call_id="c1.0"),
    Message(
        "assistant", "I look again.", (Call("c2.0", "clock", {}), Call("c2.1", "tables.profile", {"名称": "银行"}))
    ),
    Message("tool", "12:30", call_id="c2.0"),
    Message("tool", "", call_id="c2.1"),
)

WIRE_MESSAGES: list[Any] = [
    {"role": "system", "content": 'You are 分析师 — "quotes", \\ and \u2028 inside.'},
    {"role": "user", "content": "对账 <b>&amp;</b> 😀\n\tЖ"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c00001000",
                "type": "function",
                "function": {"name": "tables__profile", "arguments": '{"名称":"总账","n":1.5,"b":null,"l":[true]}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c00001000", "content": '{"行数": 3}'},
    {
        "role": "assistant",
        "content": "I look again.",
        "tool_calls": [
            {"id": "c00002000", "type": "function", "function": {"name": "clock", "arguments": "{}"}},
            {
                "id": "c00002001",
                "type": "function",
                "function": {"name": "tables__profile", "arguments": '{"名称":"银行"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "c00002000", "content": "12:30"},
    {"role": "tool", "tool_call_id": "c00002001", "content": ""},
]
WIRE_TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "tables__profile", "description": "看一张表", "parameters": SCHEMA}},
    {
        "type": "function",
        "function": {"name": "clock", "description": "The time.", "parameters": {"type": "object", "properties": {}}},
    },
]


def _canonical(body: bytes) -> bytes:
    return json.dumps(json.loads(body), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def test_the_same_request_as_the_clients_own(fake_model: Serve, models: Open, ask: Ask) -> None:
    """After canonical JSON the bodies are equal byte for byte, and so are the headers that matter."""
    server = fake_model("rules: [{reply: {text: ok}}]")
    models(server.url).model("gpt-4o", Sampling(temperature=0.2, max_output=512)).complete(
        ask(*TRANSCRIPT, tools=TOOLS)
    )
    with OpenAI(api_key="sk-scripted", base_url=server.url, max_retries=0) as client:
        client.chat.completions.create(
            model="gpt-4o", temperature=0.2, max_tokens=512, messages=WIRE_MESSAGES, tools=WIRE_TOOLS
        )
    ours, theirs = server.requests
    assert _canonical(ours.body) == _canonical(theirs.body)
    assert ours.path == theirs.path == "/v1/chat/completions"
    names = ("authorization", "content-type", "accept", "user-agent")
    assert [ours.headers[name] for name in names] == [theirs.headers[name] for name in names]
    assert b"\\u4" not in ours.body


def test_one_client_serves_many_threads(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Sixteen threads get each their own answers, over one warm connection each."""
    server = fake_model("rules: [{when: {last: {matches: 'n=(?P<n>[0-9-]+)'}}, reply: {text: 'got {{ groups.n }}'}}]")
    model = models(server.url).model()
    wrong: list[str] = []
    barrier = threading.Barrier(16)

    def talk(thread: int) -> None:
        barrier.wait()
        transcript = [Message("system", f"You are agent {thread}.")]
        for turn in range(5):
            transcript.append(Message("user", f"n={thread}-{turn}"))
            text = model.complete(ask(*transcript)).text
            transcript.append(Message("assistant", text))
            if text != f"got {thread}-{turn}":
                wrong.append(text)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(server.requests) == 80
    assert len({exchange.peer for exchange in server.requests}) == 16
    for exchange in server.requests:
        system, *rest = [message["content"] for message in exchange.json()["messages"]]
        agent = system.removeprefix("You are agent ").removesuffix(".")
        assert all(text.startswith((f"n={agent}-", f"got {agent}-")) for text in rest)


def test_a_proxy_of_the_environment_is_used(
    fake_model: Serve, models: Open, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a company's proxy the request goes to the proxy, which is told the whole address."""
    proxy = fake_model("rules: [{reply: {text: through the proxy}}]")
    for name in ("no_proxy", "NO_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
    assert models("http://model.invalid/v1").model().complete(ask()).text == "through the proxy"
    assert proxy.requests[0].path == "http://model.invalid/v1/chat/completions"


def test_one_connection_is_kept(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Twenty calls of one thread need one connection, also after a failure."""
    server = fake_model("rules: [{times: 1, reply: {fault: {status: 500}}}, {reply: {text: ok}}]")
    model = models(server.url).model()
    for _ in range(20):
        model.complete(ask())
    assert len({exchange.peer for exchange in server.requests}) == 1


def test_a_process_that_asks_no_model_does_not_load_the_client() -> None:
    """Naming models is cheap: the client, its HTTP library and the price lists are loaded by the first call."""
    program = (
        "import sys\n"
        "from agents.models.openai_chat.endpoint import Endpoint\n"
        "from agents.models.openai_chat.registry import Models\n"
        "with Models(Endpoint('http://127.0.0.1:9/v1')) as models:\n"
        "    assert models.model('m').name == 'm'\n"
        "print([name for name in ('openai', 'httpx2', 'genai_prices') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_an_address_with_a_version_is_asked_as_azure_wants_it(fake_model: Serve, models: Open, ask: Ask) -> None:
    """The path before the query, the key in Azure's own header."""
    server = fake_model("rules: [{reply: {text: ok}}]")
    address = server.url.removesuffix("/v1") + "/openai/deployments/small?api-version=2024-10-21"
    assert models(address, key="azure-key").model("small").complete(ask()).text == "ok"
    (request,) = server.requests
    assert request.path == "/openai/deployments/small/chat/completions?api-version=2024-10-21"
    assert request.headers["api-key"] == "azure-key"
