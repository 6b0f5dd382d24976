"""Decides what a scripted model answers to one HTTP request; sends nothing itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson

from agents.fake_model.matching import Match, find, unmatched
from agents.fake_model.replies import Filled, body_of, error_body, events_of, models_body
from agents.fake_model.requests import Asked, BadRequestError, asked
from agents.fake_model.script import FaultDetail, Script
from agents.fake_model.templates import TemplateFailedError, Templates
from orchestrator.errors import DefectError

JSON = "application/json"
EVENTS = "text/event-stream; charset=utf-8"
HTML = "text/html; charset=utf-8"

_PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
_BODIES = {
    "garbage": b'{"choices": [{"message": ',
    "empty": b'{"id": "chatcmpl-0", "object": "chat.completion", "choices": []}',
}
# Our own complaints are not worth a retry: the same request would meet the same script.
_FINAL = (("x-should-retry", "false"),)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is to be sent: a body, or the events of a stream, after `latency` seconds, perhaps disturbed by a fault."""

    status: int
    content_type: str
    pieces: tuple[bytes, ...]
    headers: tuple[tuple[str, str], ...] = ()
    latency: float = 0.0
    disturbed: FaultDetail | None = None
    request: int | None = None
    """The number of the request for a completion, from 1."""
    rule: int | None = None
    """The rule that answered, from 1."""

    @property
    def streamed(self) -> bool:
        """True when the pieces are sent one by one, without a length."""
        return self.content_type == EVENTS


class Answering:
    """Answers by a script and counts what was served. To be called by one thread at a time."""

    def __init__(self, script: Script, name: str) -> None:
        self._script = script
        self._name = name
        self._templates = Templates()
        self._served = [0] * len(script.rules)
        self._number = 0

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """The outcome of one request."""
        path = path.partition("?")[0].rstrip("/")
        if path.endswith("/chat/completions") and method == "POST":
            self._number += 1
            return self._completion(headers, body)
        if path.endswith("/models") and method == "GET" and self._script.lists_models:
            return self._refused_key(headers) or Outcome(200, JSON, (models_body(self._models()),))
        return _error(404, f"there is no {method} {path or '/'} here; ask POST /v1/chat/completions")

    def _completion(self, headers: Mapping[str, str], body: bytes) -> Outcome:
        number = self._number
        if refused := self._refused_key(headers):
            return refused
        try:
            request = asked(orjson.loads(body), number)
        except orjson.JSONDecodeError:
            return _error(400, "the body is no JSON", number=number)
        except BadRequestError as error:
            return _error(400, str(error), number=number)
        if self._script.models and request.model not in self._script.models:
            what = f"the model `{request.model}` does not exist"
            return _error(404, what, code="model_not_found", number=number)
        match = find(self._script.rules, request, self._served)
        if match is None:
            return _error(500, f"fake-model: {unmatched(self._name, request)}", number=number, headers=_FINAL)
        self._served[match.rule] += 1
        return self._scripted(match, request, len(body))

    def _scripted(self, match: Match, request: Asked, sent: int) -> Outcome:
        try:
            filled = self._filled(match, request)
            streamed = request.stream and filled.body is None
            pieces = tuple(events_of(filled, request, sent)) if streamed else (body_of(filled, request, sent),)
        except (TemplateFailedError, DefectError) as error:
            what = f"fake-model: {self._name}: rule {match.rule + 1}: {error}"
            return _error(500, what, number=request.number, headers=_FINAL)
        outcome = Outcome(
            200,
            EVENTS if streamed else JSON,
            pieces,
            latency=(self._script.latency_ms + match.reply.latency_ms) / 1000,
            request=request.number,
            rule=match.rule + 1,
        )
        return outcome if match.reply.fault is None else _disturbed(outcome, match.reply.fault)

    def _filled(self, match: Match, request: Asked) -> Filled:
        names = request.names() | {"groups": match.groups}
        reply, fill = match.reply, self._templates.fill
        text, thought = fill(reply.text, names), fill(reply.thought, names)
        return Filled(
            reply,
            None if text is None else str(text),
            None if thought is None else str(thought),
            tuple(fill(call.arguments, names) for call in reply.calls),
            fill(reply.body, names),
        )

    def _models(self) -> tuple[str, ...]:
        named = [rule.when.model for rule in self._script.rules if rule.when.model]
        return self._script.models or tuple(dict.fromkeys(named)) or ("fake",)

    def _refused_key(self, headers: Mapping[str, str]) -> Outcome | None:
        if self._script.key is None or headers.get("authorization") == f"Bearer {self._script.key}":
            return None
        return _error(401, "Incorrect API key provided", code="invalid_api_key")


def _disturbed(outcome: Outcome, fault: FaultDetail) -> Outcome:
    if fault.kind == "status":
        assert fault.status is not None
        wait = f"{fault.retry_after:g}" if isinstance(fault.retry_after, float) else fault.retry_after
        body = error_body(fault.message, "scripted", fault.code, fault.param)
        headers = () if wait is None else (("retry-after", wait),)
        return replace(outcome, status=fault.status, content_type=JSON, pieces=(body,), headers=headers)
    if fault.kind == "html":
        return replace(outcome, content_type=HTML, pieces=(_PAGE,))
    if fault.kind in _BODIES:
        return replace(outcome, content_type=JSON, pieces=(_BODIES[fault.kind],))
    return replace(outcome, status=fault.status or outcome.status, disturbed=fault)


def _error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    number: int | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> Outcome:
    kind = "no_rule" if headers == _FINAL else "invalid_request_error"
    return Outcome(status, JSON, (error_body(message, kind, code),), headers, request=number)
