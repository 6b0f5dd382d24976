"""What a reply in the text protocol can be: an action, a final answer, or neither."""

import json
from dataclasses import dataclass
from typing import Any

from agents.protocols.text.input import Given


@dataclass(frozen=True, slots=True)
class Action:
    """The one tool call that counts; `notes`: what was left out or interpreted, in sentences for the model."""

    tool: str
    arguments: dict[str, Any]
    thought: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Final:
    """The final answer."""

    answer: str
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Unparsable:
    """Neither; `reasons` say what was wrong, in sentences for the model."""

    reasons: tuple[str, ...]
    thought: str = ""


Reading = Action | Final | Unparsable

NEITHER = (
    "The reply holds neither an Action nor a Final Answer. To use a tool, write `Action:` with its name and "
    "`Action Input:` with one JSON object; to answer, write `Final Answer:` with your answer."
)
ONE = "Your reply held more than one Action; only the first was carried out. Send one Action at a time."
NO_ANSWER_BESIDE = (
    "The Final Answer in your reply was left out: beside an Action it is a guess. Give it after this Observation."
)
INVENTED = "You wrote an Observation yourself; it was cut off. Only what stands here was observed."
NO_TOOLS = "No tool can be used any more. Write `Final Answer:` with what you know."
TOO_LONG = "The reply is too long to be read. Write a short Thought and one Action, or the Final Answer."
NO_ACTION = "There is an Action Input but no Action. Write `Action:` with the tool's name before it."
NO_NAME = "The Action names no tool. Write `Action:` with one tool's name, or `Final Answer:` with your answer."
NO_ANSWER = "The Final Answer is empty. Write your answer behind `Final Answer:`."
INVENTED_FIRST = (
    "You wrote an Observation yourself; it was cut off, with all behind it. "
    "Write an Action to observe something, or a Final Answer from what was observed."
)
READ_AS = "What you sent as arguments was not strict JSON (it had {liberties}); it was read as {shown}."
SHOWN = 300
"""Characters of arguments that are quoted back."""
UNTOLD = frozenset({"no quotes", "text behind it"})
"""Liberties that need no word: nothing could be read in two ways."""


def read_as(given: Given) -> tuple[str, ...]:
    """A sentence on the liberties in reading some arguments, if they are worth one."""
    liberties = sorted(given.liberties - UNTOLD)
    if not liberties:
        return ()
    shown = json.dumps(given.arguments, ensure_ascii=False)
    return (READ_AS.format(liberties=", ".join(liberties), shown=shown[:SHOWN]),)
