"""From an answer to a reply or a failure."""

import json

import pytest

from agents.models.base import Message, ModelRequest
from agents.models.openai_chat.answers import Answer, Lost
from agents.models.openai_chat.failures import Failure
from agents.models.openai_chat.replies import Received, received
from orchestrator.ports.clock import Deadline

REQUEST = ModelRequest((Message("user", "x"),), (), 1, Deadline(0.0))
GOOD = {"model": "m-1", "choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}


def _received(answer: Answer | Lost) -> Received | Failure:
    return received(answer, REQUEST, b"{}", "http://h/v1")


def test_a_whole_answer_is_a_reply() -> None:
    """With the name that the server gives the model."""
    got = _received(Answer(200, "application/json", json.dumps(GOOD).encode()))
    assert isinstance(got, Received)
    assert (got.reply.text, got.reported_model, got.tokens.estimated) == ("ok", "m-1", True)


def test_a_stream_is_known_by_its_type_or_its_beginning() -> None:
    """Some servers stream unasked, some with the wrong type."""
    chunk = json.dumps({"choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]})
    body = f"data: {chunk}\n\ndata: [DONE]\n\n".encode()
    for kind in ("text/event-stream", "application/json"):
        got = _received(Answer(200, kind, body))
        assert isinstance(got, Received)
        assert got.reply.text == "ok"


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        ({"message": "upstream", "code": 503}, 503, "unavailable"),
        ({"message": "bad key", "code": 401}, 401, "refused"),
        ({"message": "who knows", "code": "odd"}, 502, "unavailable"),
        ("plain words", 502, "unavailable"),
    ],
)
def test_an_error_inside_a_success_is_an_error(error: object, status: int, kind: str) -> None:
    """Gateways answer 200 and put the failure of the server behind them into the body."""
    got = _received(Answer(200, "application/json", json.dumps({"error": error}).encode()))
    assert isinstance(got, Failure)
    assert (got.status, got.kind) == (status, kind)


def test_a_null_error_beside_a_reply_is_no_error() -> None:
    """Some servers always send the member."""
    assert isinstance(_received(Answer(200, "", json.dumps(GOOD | {"error": None}).encode())), Received)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"choices": []}', b"data: {}\n\n", b"null"])
def test_an_answer_without_a_reply_is_tried_again(body: bytes) -> None:
    """Rubbish, an empty body, half a stream: another try may bring a reply."""
    got = _received(Answer(200, "application/json", body))
    assert isinstance(got, Failure)
    assert (got.kind, got.retry) == ("unavailable", True)
