"""The tool `escalate`: puts a decision to a person; the person's answer is the observation the agent goes on with."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Annotated

from pydantic import Field

from agents.errors import ToolError
from agents.tools.function import Ask, ToolContext, tool
from orchestrator.domain.finding import ObservationRef
from orchestrator.domain.ticket import AnswerType, Choice, TicketDraft


@tool(
    "escalate",
    effect="read",  # asking is recorded by the engine, with the ticket; nothing outside is changed
    use_when="only a person can decide: it is not in the data, or the decision is not yours",
    not_when="a tool can find it out, or the same thing was asked already",
)
def escalate(
    question: Annotated[str, Field(min_length=1, description="One decision, understandable without your transcript.")],
    context: ToolContext,
    *,
    tried: Annotated[str, Field(description="What you looked at and why it does not settle it.")] = "",
    evidence: Annotated[tuple[ObservationRef, ...], Field(description="Observations the person should see.")] = (),
    choices: Annotated[tuple[Choice, ...], Field(description="Possible answers: what is stored, what is read.")] = (),
    answer_type: Annotated[
        AnswerType | None, Field(description="Left out: `choice` with choices, else `text`.")
    ] = None,
    about: Annotated[str | None, Field(description="What it is about in the job's words, such as B12.")] = None,
    hours: Annotated[float | None, Field(gt=0, description="Answer wanted within so many hours.")] = None,
    default: Annotated[str | None, Field(description="The answer that counts when nobody answers in time.")] = None,
) -> Ask:
    """Ask a person, and wait for the answer."""
    kind: AnswerType = answer_type or ("choice" if choices else "text")
    _check_choices(kind, choices)
    for ref in evidence:
        context.observed(ref)  # a number that does not exist would mislead the person
    return Ask(
        TicketDraft(
            question=question.strip(),
            tried=tried,
            evidence=evidence,
            choices=choices,
            answer_type=kind,
            about=about,
            hours=hours,
            default=None if default is None else _checked_default(kind, choices, default),
        )
    )


def _check_choices(kind: AnswerType, choices: Sequence[Choice]) -> None:
    if kind == "choice" and len(choices) < 2:
        raise _wrong("a question with choices needs two of them at least", "Give `choices`, or `answer_type` text.")
    if kind != "choice" and choices:
        raise _wrong(f"a question for a {kind} has no choices", "Leave out `choices`, or `answer_type`.")
    values = [choice.value.casefold() for choice in choices]
    if len(set(values)) < len(values):
        raise _wrong("two choices have the same value", "Give each choice a value of its own.")


def _checked_default(kind: AnswerType, choices: Sequence[Choice], default: str) -> str:
    if kind == "choice":
        for choice in choices:
            if default.casefold() in {choice.value.casefold(), choice.label.casefold()}:
                return choice.value
        listed = ", ".join(choice.value for choice in choices)
        raise _wrong(f"the default `{default}` is none of the choices", f"Take one of: {listed}.")
    if kind == "number" and not _is_number(default):
        raise _wrong(f"the default `{default}` is no number", "Write it like 1234.56.")
    return default


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _wrong(what: str, hint: str) -> ToolError:
    return ToolError("invalid_arguments", f"escalate was not run: {what}", hint=hint)
