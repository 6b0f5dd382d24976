"""A plan: the subtasks a planner proposes, and the rules that say whether it can be carried out."""

from collections.abc import Collection, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from orchestrator.domain.goal import Name
from orchestrator.domain.record import Record

MOST_SUBTASKS = 200
"""Subtasks a plan version may hold before mapping."""
MOST_ITEMS = 10_000
"""Items a mapped subtask may be spread over."""

Needs = Literal["done", "any"]
"""`done`: the predecessor must have left a usable finding (done or partial); `any`: it only must have ended."""


class After(Record):
    """A dependency on another subtask of the plan."""

    subtask: Name
    needs: Needs = "done"


class Over(Record):
    """Spreads a subtask over a list: in the finding of `subtask` the list `data[list]`, or `items` given here."""

    subtask: Name | None = None
    list: str | None = None
    items: tuple[Any, ...] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "Over":
        named = self.subtask is not None and self.list is not None
        if named == (self.items is not None):
            message = "give either `subtask` and `list`, or `items`"
            raise ValueError(message)
        return self


class FixedCall(Record):
    """A subtask that needs no thinking: one call of a tool of its agent, with these arguments.

    `"$item"` and `"$item.field"` as a value stand for the item of a mapped subtask and for a field of it.
    """

    tool: Annotated[str, Field(min_length=1)]
    arguments: dict[str, Any] = Field(default_factory=dict)


class PlannedSubtask(Record):
    """One unit of work for one specialist."""

    key: Name
    agent: Name
    title: Annotated[str, Field(min_length=1, max_length=200)]
    instruction: Annotated[str, Field(min_length=1)]
    after: tuple[After, ...] = ()
    inputs: tuple[Name, ...] = ()
    over: Over | None = None
    call: FixedCall | None = None
    output: dict[str, Any] | None = None
    """The JSON Schema that the `data` of its finding has to fit; None: what its agent's team says, or nothing."""


class Question(Record):
    """What the planner asks the asker when the goal lacks something."""

    question: Annotated[str, Field(min_length=1)]
    choices: tuple[str, ...] = ()


class Plan(Record):
    """The planner's answer: subtasks, or the answer itself, or a question to the asker."""

    subtasks: tuple[PlannedSubtask, ...] = ()
    answer: str | None = None
    ask: Question | None = None
    note: str = ""

    @model_validator(mode="after")
    def _exactly_one(self) -> "Plan":
        given = [bool(self.subtasks), self.answer is not None, self.ask is not None]
        if sum(given) != 1:
            message = "give exactly one of `subtasks` (not empty), `answer` or `ask`"
            raise ValueError(message)
        return self


def faults(plan: Plan, agents: Collection[str], inputs: Collection[str], earlier: Mapping[str, bool]) -> list[str]:
    """Say in sentences why `plan` cannot be carried out; an empty list: it can.

    `earlier` holds the keys of earlier plan versions that new subtasks may build on or replace: key → True when it
    has started or ended (it stays, so its key is taken), False when a new subtask of the same key replaces it.
    """
    reasons: list[str] = []
    keys = [subtask.key for subtask in plan.subtasks]
    if len(keys) > MOST_SUBTASKS:
        reasons.append(f"The plan has {len(keys)} subtasks; {MOST_SUBTASKS} are the most. Map one over a list instead.")
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        reasons.append(f"The key `{key}` is used {keys.count(key)} times; keys must differ.")
    known = set(keys) | {key for key, stays in earlier.items() if stays}
    for subtask in plan.subtasks:
        reasons += _subtask_faults(subtask, agents, inputs, known, earlier)
    return reasons + _cycle(plan)


def _subtask_faults(
    subtask: PlannedSubtask,
    agents: Collection[str],
    inputs: Collection[str],
    known: Collection[str],
    earlier: Mapping[str, bool],
) -> list[str]:
    reasons: list[str] = []
    if earlier.get(subtask.key):
        reasons.append(f"Subtask `{subtask.key}` has already started; give the new one another key.")
    if subtask.agent not in agents:
        reasons.append(f"Subtask `{subtask.key}` wants agent `{subtask.agent}`; the team has {_listed(agents)}.")
    for name in subtask.inputs:
        if name not in inputs:
            reasons.append(f"Subtask `{subtask.key}` wants input `{name}`; the goal has {_listed(inputs)}.")
    for after in subtask.after:
        if after.subtask not in known:
            reasons.append(f"Subtask `{subtask.key}` comes after `{after.subtask}`, which is not in the plan.")
    if subtask.over and subtask.over.subtask and subtask.over.subtask not in {a.subtask for a in subtask.after}:
        reasons.append(f"Subtask `{subtask.key}` is mapped over `{subtask.over.subtask}` but does not come after it.")
    if subtask.over and subtask.over.items is not None and len(subtask.over.items) > MOST_ITEMS:
        reasons.append(f"Subtask `{subtask.key}` is mapped over {len(subtask.over.items)} items; {MOST_ITEMS} at most.")
    return reasons


def _cycle(plan: Plan) -> list[str]:
    graph = {subtask.key: {after.subtask for after in subtask.after} for subtask in plan.subtasks}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = list(reversed(error.args[1]))
        return [f"The subtasks wait for each other in a circle: {' → '.join(circle)}."]
    return []


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"
