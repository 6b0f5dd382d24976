"""Recovering: what may be done about a call with an effect of which nobody stored how it ended."""

import json
from datetime import datetime
from typing import Literal

from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.step import StepCall
from orchestrator.domain.ticket import Choice, TicketDraft

MOST_ATTEMPTS = 4
"""How often the engine begins one call, where it may."""

Recovery = Literal["again", "later", "find_out", "give_up"]
Decision = Literal["happened", "again", "without"]

_REPEATABLE = frozenset({"read", "idempotent", "keyed"})


def recovery(intent: EffectIntent | None, now: datetime) -> Recovery:
    """Begin again what is safe to repeat, wait for what may still be running, find out about the rest.

    No intent: the call was never begun. Finding out means to ask the tool, and then a person.
    """
    if intent is None:
        return "again"
    repeatable = intent.effect in _REPEATABLE
    if repeatable and intent.status == "unknown" and intent.attempt == 1:
        return "again"  # its worker saw it end, and the first failure is often a passing one
    if now < intent.over_at:  # a stopped process may still send for a while after its deadline
        return "later"
    if repeatable and intent.attempt < MOST_ATTEMPTS:
        return "again"
    return "give_up" if intent.effect in {"read", "idempotent"} else "find_out"


def not_happened(intent: EffectIntent) -> Recovery:
    """What follows when it was found out that the call did not happen."""
    return "again" if intent.attempt < MOST_ATTEMPTS else "give_up"


def decided(answer: str | None) -> Decision:
    """What a person's answer to `question` means; no answer means that nobody knows."""
    match answer:
        case "happened":
            return "happened"
        case "not_done":
            return "again"
        case _:
            return "without"


def question(call: StepCall, intent: EffectIntent, looked: str = "") -> TicketDraft:
    """What a person is asked about a call of which nobody knows whether it happened. `looked`: what the tool found."""
    why = intent.trouble or "The worker that called it died before the result was stored."
    arguments = json.dumps(intent.arguments, ensure_ascii=False)
    known = [
        f"Arguments: {arguments}. Key: {intent.key}.",
        f"Begun before {intent.deadline:%Y-%m-%d %H:%M:%S} UTC, attempt {intent.attempt}.",
        looked,
    ]
    return TicketDraft(
        kind="exception",
        topic="effect",
        question=f"Did `{call.tool}` happen? {why}",
        tried=" ".join(part for part in known if part),
        choices=(
            Choice(value="happened", label="It happened; do not do it again"),
            Choice(value="not_done", label="It did not happen; do it now"),
            Choice(value="stop", label="It is unclear; the agent must do without it"),
        ),
    )
