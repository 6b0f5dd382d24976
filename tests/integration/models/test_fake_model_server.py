"""The scripted server itself, asked without our own adapter."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agents.cli.fake_model import app
from agents.fake_model.serving import FakeModel

Serve = Callable[[str], FakeModel]

ASK = {"model": "fake", "messages": [{"role": "user", "content": "hi"}]}


def _ask(
    server: FakeModel, body: object = ASK, path: str = "/v1/chat/completions", method: str = "POST"
) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, raw if method == "POST" else None)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"{", "the body is no JSON"),
        ([], "the body must be a JSON object"),
        ({"model": "fake"}, "messages must be a list with at least one message"),
        ({"model": "fake", "messages": []}, "messages must be a list with at least one message"),
        ({"model": "fake", "messages": [7]}, "each message must be an object"),
        ({"model": "fake", "messages": [{"content": "x"}]}, "each message must have a role"),
        ({"messages": [{"role": "user"}]}, "model must be a text"),
    ],
)
def test_a_bad_request_is_a_400(fake_model: Serve, body: object, what: str) -> None:
    """As a real server would, it says what is wrong with the request."""
    status, answer = _ask(fake_model("rules: [{reply: {text: ok}}]"), body)
    assert (status, answer["error"]["message"]) == (400, what)


def test_other_paths_are_a_404(fake_model: Serve) -> None:
    """A client with a wrong path is told the right one."""
    server = fake_model("rules: [{reply: {text: ok}}]")
    for method, path in (("POST", "/v1/responses"), ("GET", "/"), ("GET", "/v1/chat/completions")):
        status, answer = _ask(server, path=path, method=method)
        assert status == 404
        assert "ask POST /v1/chat/completions" in answer["error"]["message"]


def test_lists_its_models(fake_model: Serve) -> None:
    """Those of the script, those that its rules name, or one that is called fake."""
    for script, names in (
        ("{models: [a, b], rules: [{reply: {text: ok}}]}", ["a", "b"]),
        ("rules: [{when: {model: c}, reply: {text: ok}}]", ["c"]),
        ("rules: [{reply: {text: ok}}]", ["fake"]),
    ):
        status, answer = _ask(fake_model(script), path="/v1/models", method="GET")
        assert (status, [model["id"] for model in answer["data"]]) == (200, names)


def test_a_model_that_is_not_there_is_a_404(fake_model: Serve) -> None:
    """Only where the script names the models."""
    status, answer = _ask(fake_model("{models: [other], rules: [{reply: {text: ok}}]}"))
    assert (status, answer["error"]["code"]) == (404, "model_not_found")


def test_what_no_rule_fits_is_a_500_that_says_so(fake_model: Serve) -> None:
    """Nobody has to guess which request fell through."""
    status, answer = _ask(fake_model("rules: [{when: {system: x}, reply: {text: ok}}]"))
    assert (status, answer["error"]["type"]) == (500, "no_rule")
    assert "no rule of the script fits request 1" in answer["error"]["message"]


def test_a_template_that_fails_is_a_500_that_says_so(fake_model: Serve) -> None:
    """With the rule and the template."""
    status, answer = _ask(fake_model("rules: [{reply: {text: '{{ result.total }}'}}]"))
    assert status == 500
    assert "rule 1: `{{ result.total }}`: the request holds no such thing" in answer["error"]["message"]


TEAM = """
rules:
  - when: {system: You are the planner}
    reply:
      text: '{"subtasks": ["left of {{ user | find("of ([a-z]+)") }}", "right"]}'
  - when: {system: You are the specialist, user: {matches: "Look at (?P<side>[a-z]+)"}}
    steps:
      - {thought: I count., calls: [{tool: tables.profile, arguments: {name: "{{ groups.side }}"}}]}
      - {text: "{{ groups.side }} has {{ result.data.rows }} rows (E1)"}
  - when: {system: You are the reviewer, last: {lacks: "(E1)"}}
    reply: {text: 'send back: no source'}
  - when: {system: You are the reviewer}
    reply: {text: accept}
"""


def test_a_whole_team_is_scripted_in_one_file(fake_model: Serve) -> None:
    """Agents are told apart by their prompts, and two runs at once do not disturb each other's steps."""
    server = fake_model(TEAM)

    def say(system: str, *turns: tuple[str, str]) -> Any:
        messages = [{"role": "system", "content": system}, *({"role": role, "content": text} for role, text in turns)]
        return _ask(server, {"model": "fake", "messages": messages})[1]["choices"][0]["message"]

    goal = ("user", "Reconcile the books of acme.")
    assert json.loads(say("You are the planner.", goal)["content"]) == {"subtasks": ["left of acme", "right"]}
    looks = {side: ("user", f"Look at {side}.") for side in ("left", "right")}
    for side, look in looks.items():
        call = say("You are the specialist.", look)["tool_calls"][0]["function"]
        assert (call["name"], json.loads(call["arguments"])) == ("tables.profile", {"name": side})
    for rows, (side, look) in enumerate(reversed(looks.items())):
        result = ("tool", f'<data>\n{{"ok": true, "data": {{"rows": {rows}}}}}\n</data>')
        found = say("You are the specialist.", look, ("assistant", ""), result)["content"]
        assert found == f"{side} has {rows} rows (E1)"
    assert say("You are the reviewer.", ("user", "3 rows"))["content"] == "send back: no source"
    assert say("You are the reviewer.", ("user", "3 rows (E1)"))["content"] == "accept"


def test_counts_are_right_under_concurrency(fake_model: Serve) -> None:
    """Of forty requests at once exactly seven get the reply that may be given seven times."""
    server = fake_model("rules: [{times: 7, reply: {text: rare}}, {reply: {text: common}}]")
    texts: list[str] = []

    def talk() -> None:
        texts.append(_ask(server)[1]["choices"][0]["message"]["content"])

    threads = [threading.Thread(target=talk) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == ["common"] * 33 + ["rare"] * 7
    assert [exchange.outcome.request for exchange in server.requests] == list(range(1, 41))


def test_latency_does_not_hold_others_up(fake_model: Serve) -> None:
    """Twenty replies of 0.3 s each, asked at once, take far less than the sum."""
    server = fake_model("{latency_ms: 300, rules: [{reply: {text: ok}}]}")
    threads = [threading.Thread(target=_ask, args=(server,)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = [exchange.at for exchange in server.requests]
    assert max(times) - min(times) < 3


def test_speaks_http_with_whoever_comes(fake_model: Serve) -> None:
    """A body in chunks, a request to wait for `100 Continue`, two requests in one packet, and rubbish."""
    server = fake_model("rules: [{reply: {text: ok}}]")
    body = json.dumps(ASK).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n" + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    plain = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.sendall(chunked + plain)
        received = b""
        while received.count(b'"content":"ok"') < 2:
            received += line.recv(65536)
        line.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert line.recv(65536).startswith(b"HTTP/1.1 100 ")
        line.sendall(body)
        assert line.recv(65536).startswith(b"HTTP/1.1 200 ")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.sendall(b"\x16\x03\x01rubbish\r\n\r\n")
        received = b"".join(iter(lambda: line.recv(65536), b""))
        assert received.startswith(b"HTTP/1.1 400 ")
        assert received.endswith(b"}")
    assert len(server.requests) == 3


def test_two_servers_stand_side_by_side(fake_model: Serve) -> None:
    """Each has its own port and its own counts."""
    one, two = (fake_model(f"rules: [{{reply: {{text: {name}}}}}]") for name in ("one", "two"))
    assert _ask(one)[1]["choices"][0]["message"]["content"] == "one"
    assert _ask(two)[1]["choices"][0]["message"]["content"] == "two"
    assert (len(one.requests), len(two.requests)) == (1, 1)


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    """It prints where it listens, logs each request without the key, and ends well on SIGTERM."""
    script, log = tmp_path / "s.yaml", tmp_path / "log.jsonl"
    script.write_text("rules: [{reply: {text: 晴}}]", "utf-8")
    command = [sys.executable, "-c", "from agents.cli.fake_model import app; app()", str(script), "--log", str(log)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as child:
        assert child.stdout is not None
        match = re.search(r"answers on http://127\.0\.0\.1:(\d+)/v1", child.stdout.readline())
        assert match is not None
        assert _ask(FakeModel(int(match[1])))[1]["choices"][0]["message"]["content"] == "晴"
        child.send_signal(signal.SIGTERM)
        _, complaints = child.communicate(timeout=20)
    assert (child.returncode, complaints) == (0, "")
    (line,) = [json.loads(text) for text in log.read_text("utf-8").splitlines()]
    assert line == {
        "request": 1,
        "method": "POST",
        "path": "/v1/chat/completions",
        "rule": 1,
        "status": 200,
        "fault": None,
        "body": ASK,
    }


def test_the_command_explains_a_bad_script(tmp_path: Path) -> None:
    """One line, exit code 2."""
    script = tmp_path / "s.yaml"
    script.write_text("rules:\n  - reply: {text: a}\n  - reply: {txt: b}", "utf-8")
    done = CliRunner().invoke(app, [str(script)])
    assert done.exit_code == 2
    assert done.stderr == f"fake-model: {script}:3: rule 2: reply.txt: there is no such key\n"


def test_the_command_explains_a_port_in_use(fake_model: Serve, tmp_path: Path) -> None:
    """One line, exit code 2; the same for a log that cannot be written."""
    script = tmp_path / "s.yaml"
    script.write_text("rules: [{reply: {text: a}}]", "utf-8")
    taken = fake_model("rules: [{reply: {text: ok}}]").port
    done = CliRunner().invoke(app, [str(script), "--port", str(taken)])
    assert done.exit_code == 2
    assert re.fullmatch(
        rf"fake-model: cannot listen on 127\.0\.0\.1:{taken}: .*\. Choose another port; 0 takes a free one\.\n",
        done.stderr,
    )
    done = CliRunner().invoke(app, [str(script), "--log", str(tmp_path)])
    assert (done.exit_code, done.stderr) == (2, f"fake-model: {tmp_path}: the log cannot be written: Is a directory\n")
