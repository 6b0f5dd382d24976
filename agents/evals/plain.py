"""Asks a model for its plain answer to a case, once and without a team, to hold a team's answers against it."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from time import monotonic
from typing import Any

from agents.documents import DocumentError, the_object
from agents.errors import ModelRefusedError, ModelUnavailableError
from agents.evals.case import Case
from agents.evals.prompts import prompt
from agents.evals.trial import Trial
from agents.models.base import Message, Model, ModelReply, ModelRequest
from orchestrator.domain import evidence
from orchestrator.ports.clock import Deadline

LONGEST_INPUT = 20_000
"""Characters of an input file that are sent along."""
_SECONDS = 120.0


def plain_trial(case: Case, model: Model) -> Trial:
    """The model's own answer as a trial; what it says without a source counts as unsupported."""
    started = monotonic()
    request = ModelRequest(_messages(case), (), 1, Deadline.after(_SECONDS))
    try:
        reply = model.complete(request)
    except (ModelUnavailableError, ModelRefusedError) as error:
        return Trial(state="failed", reason=str(error), models=(model.name,), seconds=monotonic() - started)
    return _trial(case, reply, monotonic() - started)


def _trial(case: Case, reply: ModelReply, seconds: float) -> Trial:
    usage = reply.usage
    given = f"{case.goal}\n{json.dumps(dict(case.parameters), ensure_ascii=False, default=str)}"
    return Trial(
        state="done",
        answer=reply.text,
        documents=_documents(reply.text),
        unsupported=tuple(str(fault) for fault in evidence.check(reply.text, {}, given=given)),
        models=(usage.model,),
        tokens=usage.input_tokens + usage.output_tokens,
        steps=1,
        worked=seconds,
        seconds=seconds,
        cost=None if usage.cost is None else Decimal(usage.cost),
    )


def _documents(text: str) -> tuple[dict[str, Any], ...]:
    try:
        return (the_object(text),)
    except DocumentError:
        return ()


def _messages(case: Case) -> tuple[Message, ...]:
    return Message("system", prompt("plain")), Message("user", "\n\n".join(_parts(case)))


def _parts(case: Case) -> Iterator[str]:
    yield case.goal
    if case.parameters:
        yield json.dumps(dict(case.parameters), ensure_ascii=False, default=str)
    for name, path in case.inputs.items():
        yield f"{name} ({path.name}):\n{_begin(path)}"


def _begin(path: Path) -> str:
    text = path.read_bytes()[: 4 * LONGEST_INPUT].decode("utf-8", "replace")
    return text if len(text) <= LONGEST_INPUT else text[:LONGEST_INPUT] + "…"
