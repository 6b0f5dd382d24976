"""Escalating: a question with typed answers, checked before it reaches a person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agents.errors import ToolError
from agents.tools.builtin.escalate import escalate
from agents.tools.function import Ask
from orchestrator.domain.ticket import Choice, TicketDraft
from orchestrator.ports.clock import Deadline

CHOICES = [{"value": "write_off", "label": "Write it off"}, {"value": "wait", "label": "Wait a month"}]


@dataclass(frozen=True)
class Context:
    """A run with one observation, E4.2."""

    deadline: Deadline = field(default_factory=lambda: Deadline.after(5))
    idempotency_key: str = "key"

    def input(self, name: str) -> Path:
        """No inputs."""
        raise ToolError("unknown_input", name)

    def input_names(self) -> Mapping[str, str]:
        """No inputs."""
        return {}

    def observed(self, ref: str) -> Any:
        """E4.2 exists."""
        if ref != "E4.2":
            raise ToolError("unknown_evidence", f"there is no observation `{ref}`")
        return None

    def files(self) -> Mapping[str, int]:
        """No tool made a file."""
        return {}

    def file(self, name: str) -> Path:
        """None."""
        raise ToolError("unknown_file", name)

    def setting(self, name: str) -> str | None:
        """Nothing is set."""
        del name
        return None


def draft(**arguments: Any) -> TicketDraft:
    """The question that comes of a call."""
    asked = escalate.run(escalate.arguments(**{"question": "What of B12?", **arguments}), Context())
    assert isinstance(asked, Ask)
    return asked.draft


def test_asks_with_everything_that_a_person_needs() -> None:
    """Question, what was tried, evidence, choices, what it is about, until when, and what counts if nobody answers."""
    asked = draft(
        tried="Looked for a second payment.",
        evidence=["E4.2"],
        choices=CHOICES,
        about="B12",
        hours=24,
        default="Wait a month",
    )
    assert asked == TicketDraft(
        question="What of B12?",
        tried="Looked for a second payment.",
        evidence=("E4.2",),
        choices=(Choice(value="write_off", label="Write it off"), Choice(value="wait", label="Wait a month")),
        answer_type="choice",
        about="B12",
        hours=24,
        default="wait",
    )


@pytest.mark.parametrize(
    ("arguments", "kind"), [({}, "text"), ({"choices": CHOICES}, "choice"), ({"answer_type": "number"}, "number")]
)
def test_knows_the_kind_of_answer(arguments: dict[str, Any], kind: str) -> None:
    """Choices make a choice; without them any text is an answer, unless a number is asked for."""
    assert draft(**arguments).answer_type == kind


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"choices": CHOICES[:1]}, "needs two of them at least"),
        ({"answer_type": "choice"}, "needs two of them at least"),
        ({"choices": CHOICES, "answer_type": "number"}, "has no choices"),
        ({"choices": [*CHOICES, {"value": "WAIT", "label": "Later"}]}, "two choices have the same value"),
        ({"choices": CHOICES, "default": "pay"}, "the default `pay` is none of the choices"),
        ({"answer_type": "number", "default": "a lot"}, "the default `a lot` is no number"),
        ({"answer_type": "number", "default": "NaN"}, "is no number"),
    ],
)
def test_refuses_a_question_that_could_not_be_answered(arguments: dict[str, Any], what: str) -> None:
    """The agent mends it; a person is not bothered with it."""
    with pytest.raises(ToolError, match=what) as caught:
        draft(**arguments)
    assert caught.value.code == "invalid_arguments"
    assert caught.value.mend


def test_cites_only_what_exists() -> None:
    """A number that no observation has would mislead the person."""
    with pytest.raises(ToolError, match=r"there is no observation `E9\.9`"):
        draft(evidence=["E4.2", "E9.9"])


@pytest.mark.parametrize("arguments", [{"question": ""}, {"hours": 0}, {"evidence": ["row 7"]}, {"urgent": True}])
def test_arguments_are_typed(arguments: dict[str, Any]) -> None:
    """Empty questions, no time, things that are no observation, and unknown arguments are refused."""
    with pytest.raises(ValidationError):
        draft(**arguments)


def test_asking_changes_nothing_outside() -> None:
    """The engine records the ticket itself."""
    assert escalate.effect == "read"
