"""Finds out in one line whether an endpoint can be used: reached, key accepted, model known."""

from dataclasses import dataclass
from typing import Any, cast

from rapidfuzz import process

from agents.models.base import Message, ModelRequest
from agents.models.openai_chat.answers import Answer, Lost
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.failures import lost, refused
from agents.models.openai_chat.model import Sampling
from agents.models.openai_chat.registry import Models, opened
from agents.models.openai_chat.retry import Retry
from agents.protocols.json_text import loads
from orchestrator.errors import RemitError
from orchestrator.ports.clock import Deadline


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether an endpoint can be used; `line` says what was found and what to do about it."""

    ok: bool
    line: str


def probe(endpoint: Endpoint, seconds: float = 10.0) -> Probe:
    """Ask which models there are; where an endpoint does not say, ask the model itself for one word."""
    client = opened(endpoint)
    try:
        answer = client.models(seconds)
    finally:
        client.close()
    if isinstance(answer, Lost):
        return Probe(ok=False, line=str(lost(endpoint.shown, answer).error("model endpoint", 1)))
    if 200 <= answer.status < 300:
        names = _names(answer)
        if names is not None:
            return _judged(endpoint, names)
    elif answer.status not in {404, 405, 501}:
        return Probe(ok=False, line=str(refused(endpoint.shown, answer).error("model endpoint", 1)))
    return _asked(endpoint, seconds)


def _names(answer: Answer) -> list[str] | None:
    try:
        body = loads(answer.body)
    except ValueError:
        return None
    data = cast("dict[str, Any]", body).get("data") if isinstance(body, dict) else None
    if not isinstance(data, list):
        return None
    items = [cast("dict[str, Any]", item) for item in cast("list[Any]", data) if isinstance(item, dict)]
    return [item["id"] for item in items if isinstance(item.get("id"), str)]


def _judged(endpoint: Endpoint, names: list[str]) -> Probe:
    reached = f"{endpoint.shown} answers"
    model = endpoint.model
    if not model:
        return Probe(ok=True, line=f"{reached} and has {_counted(names)}; no model is chosen (REMIT_MODEL).")
    if model in names:
        return Probe(ok=True, line=f"{reached} and has the model {model}.")
    close = [name for name, _, _ in process.extract(model, names, limit=3, score_cutoff=50)]
    near = f" Did you mean {' or '.join(close)}?" if close else f" It has {_counted(names)}."
    return Probe(ok=False, line=f"{reached}, but does not list the model {model}.{near} Set REMIT_MODEL.")


def _asked(endpoint: Endpoint, seconds: float) -> Probe:
    if not endpoint.model:
        return Probe(ok=False, line=f"{endpoint.shown} does not list its models, and none is chosen. Set REMIT_MODEL.")
    question = (Message("user", "Answer with the one word: ready"),)
    with Models(endpoint, retry=Retry(tries=1)) as models:
        try:
            models.model(sampling=Sampling(max_output=64, seconds=seconds)).complete(
                ModelRequest(question, (), 0, Deadline.after(seconds))
            )
        except RemitError as error:
            return Probe(ok=False, line=str(error))
    return Probe(ok=True, line=f"{endpoint.shown} does not list its models, but {endpoint.model} answers.")


def _counted(names: list[str]) -> str:
    if not names:
        return "no models"
    shown = ", ".join(sorted(names)[:5]) + (", …" if len(names) > 5 else "")
    return f"{len(names)} model{'s' if len(names) > 1 else ''} ({shown})"
