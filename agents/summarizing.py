"""A summary in the model's own words: the last means to make room, when results that are shortened still do not fit."""

from collections.abc import Sequence

from agents.context import KEPT, summarized_to
from agents.models.base import Message, ModelReply
from agents.prompts import template
from agents.transcript import as_messages, reply_step
from orchestrator.domain.step import Step


def to_summarize(steps: Sequence[Step]) -> int | None:
    """Up to which step a summary may stand in for the steps; None when there is nothing more to put together."""
    begun = summarized_to(steps)
    replies = [step.n for step in steps if step.calls and step.n > begun]
    if len(replies) <= KEPT + 1:
        return None
    return replies[-KEPT - 1]


def asking(opening: Sequence[Message], steps: Sequence[Step], upto: int) -> tuple[Message, ...]:
    """The question for the summary of the steps up to `upto`, their results shortened."""
    old = as_messages([step for step in steps if step.n <= upto], short=True)
    return (*opening, *old, Message("user", template("summary.md")))


def summary(n: int, reply: ModelReply, upto: int, seconds: float) -> Step:
    """The summary as a step: stored and charged like any other reply."""
    step = reply_step(n, reply, seconds)
    return step.model_copy(update={"calls": (), "summarizes_to": upto})


def is_summary(reply: ModelReply) -> bool:
    """True when the reply can stand in for steps; one that was cut off at its longest can, a filtered one cannot."""
    return bool(reply.text.strip()) and reply.finish != "filter"
