"""What `remit doctor` finds out about an endpoint."""

import socket
from collections.abc import Callable

import pytest

from agents.fake_model.serving import FakeModel
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.probe import probe

Serve = Callable[[str], FakeModel]


def test_a_model_that_is_there(fake_model: Serve) -> None:
    """Reached, key accepted, model known."""
    server = fake_model("{models: [small, large], key: sk-right, rules: [{reply: {text: ok}}]}")
    found = probe(Endpoint(server.url, "sk-right", "large"))
    assert (found.ok, found.line) == (True, f"{server.url} answers and has the model large.")


def test_a_key_that_is_not_accepted(fake_model: Serve) -> None:
    """The line says which setting to check."""
    server = fake_model("{key: sk-right, rules: [{reply: {text: ok}}]}")
    found = probe(Endpoint(server.url, "sk-wrong", "large"))
    assert not found.ok
    assert found.line.startswith(f"model endpoint: the endpoint {server.url} did not accept the key (401: ")
    assert found.line.endswith("Check OPENAI_API_KEY.")


@pytest.mark.parametrize(
    ("model", "ok", "line"),
    [
        ("larg", False, "answers, but does not list the model larg. Did you mean large? Set REMIT_MODEL."),
        ("zzz", False, "answers, but does not list the model zzz. It has 2 models (large, small). Set REMIT_MODEL."),
        (None, True, "answers and has 2 models (large, small); no model is chosen (REMIT_MODEL)."),
    ],
)
def test_a_model_that_is_not_there(fake_model: Serve, model: str | None, ok: bool, line: str) -> None:
    """The nearest names are offered."""
    server = fake_model("{models: [small, large], rules: [{reply: {text: ok}}]}")
    found = probe(Endpoint(server.url, "k", model))
    assert (found.ok, found.line) == (ok, f"{server.url} {line}")


def test_a_key_for_a_server_of_ones_own_may_be_missing(fake_model: Serve) -> None:
    """Local servers ask for none; something is sent all the same, since the client insists."""
    server = fake_model("{models: [m], rules: [{reply: {text: ok}}]}")
    assert probe(Endpoint(server.url, None, "m")).ok
    assert server.exchanges[0].headers["authorization"] == "Bearer none"


def test_nobody_there() -> None:
    """A wrong address is one line."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        found = probe(Endpoint(url, "k", "m"), seconds=5)
    assert not found.ok
    assert found.line.startswith(f"model endpoint: the endpoint {url} did not answer: ")


def test_a_server_that_lists_nothing_is_asked_one_word(fake_model: Serve) -> None:
    """Where there is no list, the model itself is asked."""
    server = fake_model("{lists_models: false, rules: [{when: {model: m}, reply: {text: ready}}]}")
    found = probe(Endpoint(server.url, "k", "m"))
    assert (found.ok, found.line) == (True, f"{server.url} does not list its models, but m answers.")
    assert server.requests[0].json()["max_tokens"] == 64


def test_a_server_that_lists_nothing_and_fails_is_explained(fake_model: Serve) -> None:
    """The failure of the one word is the diagnosis; without a model there is nothing to ask."""
    server = fake_model("{lists_models: false, models: [other], rules: [{reply: {text: ready}}]}")
    found = probe(Endpoint(server.url, "k", "m"))
    assert not found.ok
    assert "the model `m` does not exist" in found.line
    assert found.line.endswith("Check the name of the model: REMIT_MODEL, or the team's own.")
    unnamed = probe(Endpoint(server.url, "k"))
    assert (unnamed.ok, unnamed.line) == (
        False,
        f"{server.url} does not list its models, and none is chosen. Set REMIT_MODEL.",
    )
