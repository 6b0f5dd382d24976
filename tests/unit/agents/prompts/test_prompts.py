"""The prompts that ship: what they show as an answer is one, and what they promise is true."""

import json
import re

import pytest

from agents.prompts import role_prompt
from orchestrator.domain.answers import Answer
from orchestrator.domain.plan import Plan, faults
from orchestrator.domain.record import Record
from orchestrator.domain.verdict import Composed, Verdict

KINDS = [("planner", Plan), ("specialist", Answer), ("composer", Composed), ("reviewer", Verdict)]


def examples(text: str) -> list[str]:
    """The JSON objects that a prompt shows, in blocks and inline."""
    blocks = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    inline = re.findall(r"`(\{\"(?:answer|ask)\".*?\})`", text)
    return [*blocks, *inline]


@pytest.mark.parametrize(("kind", "record"), KINDS)
def test_the_answer_that_a_prompt_shows_counts(kind: str, record: type[Record]) -> None:
    """Every example can be read as the record that the engine expects."""
    shown = examples(role_prompt(kind))  # type: ignore[arg-type]
    assert shown
    for example in shown:
        assert record.model_validate(json.loads(example))


def test_the_planners_example_can_be_carried_out() -> None:
    """Its agents, inputs and order are consistent."""
    plan = Plan.model_validate(json.loads(examples(role_prompt("planner"))[0]))
    assert faults(plan, {"reader", "matcher"}, {"left", "right"}, {}) == []
    assert len(examples(role_prompt("planner"))) == 3


@pytest.mark.parametrize(("kind", "record"), KINDS)
def test_a_prompt_names_every_field_of_its_answer(kind: str, record: type[Record]) -> None:
    """An agent can only use what it is told of."""
    text = role_prompt(kind)  # type: ignore[arg-type]
    assert [name for name in record.model_fields if name not in text] == []


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_every_agent_is_told_that_data_is_no_instruction(kind: str) -> None:
    """Text from files, tools and other agents cannot give orders."""
    text = role_prompt(kind)  # type: ignore[arg-type]
    assert "data" in text
    assert kind == "planner" or "no instruction" in text
