"""Recovering: what may be done about a call with an effect whose worker died before its result was stored."""

from datetime import datetime, timedelta
from typing import Literal

from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.step import StepCall
from orchestrator.domain.ticket import Choice, TicketDraft

GRACE = timedelta(seconds=10)
"""A stopped process may still send for a while after its deadline; nobody looks before that."""

Recovery = Literal["again", "later", "ask"]


def recovery(intent: EffectIntent | None, now: datetime) -> Recovery:
    """Run again what is safe to repeat, wait for what may still be running, ask a person about the rest.

    No intent: the call only reads, or its worker died before it began.
    """
    if intent is None:
        return "again"
    if now < intent.deadline + GRACE:
        return "later"
    return "again" if intent.effect in {"read", "idempotent", "keyed"} else "ask"


def question(call: StepCall, intent: EffectIntent) -> TicketDraft:
    """What a person is asked about a call of which nobody knows whether it happened."""
    return TicketDraft(
        kind="exception",
        topic="effect",
        question=f"Did `{call.tool}` happen? The worker that called it died before the result was stored.",
        tried=f"Arguments: {call.arguments}. Key: {intent.key}. Begun before {intent.deadline:%Y-%m-%d %H:%M:%S} UTC.",
        choices=(
            Choice(value="happened", label="It happened; do not do it again"),
            Choice(value="not_done", label="It did not happen; the agent may do it again"),
            Choice(value="stop", label="It is unclear; the agent must do without it"),
        ),
    )
