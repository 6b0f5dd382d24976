"""Turns what an endpoint answered into a reply or into a failure."""

from dataclasses import dataclass, replace
from typing import Any, cast

from agents.models.base import ModelRequest
from agents.models.native.reading import NativeReply, NoReplyError, decode_reply, read_body
from agents.models.native.stream import CutStreamError, assemble
from agents.models.openai_chat.answers import Answer, Lost
from agents.models.openai_chat.failures import Failure, lost, refused, unreadable
from agents.models.openai_chat.usage import Tokens, tokens_of


@dataclass(frozen=True, slots=True)
class Received:
    """A whole reply, the tokens it took, and the name that the server gives the model."""

    reply: NativeReply
    tokens: Tokens
    reported_model: str | None


def received(answer: Answer | Lost, request: ModelRequest, sent: bytes, address: str) -> Received | Failure:
    """Read an answer to `request`, which went out as `sent` to `address`."""
    if isinstance(answer, Lost):
        return lost(address, answer)
    if not 200 <= answer.status < 300:
        return refused(address, answer)
    try:
        body = _body(answer)
        if status := _status_inside(body):
            return refused(address, replace(answer, status=status))
        reply = decode_reply(body, request.tools, request.step)
    except (NoReplyError, CutStreamError) as error:
        return unreadable(address, answer, str(error))
    except ValueError:
        return unreadable(address, answer, "the body is no JSON")
    model = cast("dict[str, Any]", body).get("model")
    return Received(reply, tokens_of(body, sent, _written(reply)), model if isinstance(model, str) and model else None)


def _body(answer: Answer) -> object:
    if "event-stream" in answer.content_type or answer.body.startswith((b"data:", b":")):
        return assemble(answer.body)
    return read_body(answer.body)


def _status_inside(body: object) -> int | None:
    """Some gateways answer 200 and put the error of the server behind them into the body."""
    if not isinstance(body, dict):
        return None
    members = cast("dict[str, Any]", body)
    error = members.get("error")
    if not error or members.get("choices"):
        return None
    code = cast("dict[str, Any]", error).get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code <= 599 else 502


def _written(reply: NativeReply) -> str:
    """All that the model wrote, for an estimate of its tokens."""
    calls = [f"{call.tool}{call.malformed or call.arguments}" for call in reply.calls]
    return "".join((reply.thought, reply.text, *calls))
