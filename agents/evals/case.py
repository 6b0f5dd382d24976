"""A behaviour case: a goal, and what a run has to do and to answer for it; written by people in YAML."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, field_validator, model_validator

from agents.catalog.team import MOST_TOOLS
from orchestrator.domain.evidence.figures import scan
from orchestrator.domain.goal import Limits, Name
from orchestrator.domain.record import Record
from orchestrator.domain.ticket import Topic

CaseEnding = Literal["done", "failed", "limit", "waiting", "refused"]
"""`refused`: it ended with an answer, and nothing was done to the world: no tool with an effect succeeded."""
Order = Literal["given", "any"]


def _texts(value: object) -> object:
    return (value,) if isinstance(value, str | int | float) and not isinstance(value, bool) else value


def _number_texts(value: object) -> object:
    given = _texts(value)
    if not isinstance(given, list | tuple):
        return given
    numbers = cast("tuple[object, ...]", given)
    return tuple(str(one) if isinstance(one, int | float) and not isinstance(one, bool) else one for one in numbers)


Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
"""One text, or several."""
Figures = Annotated[tuple[str, ...], BeforeValidator(_number_texts)]


class TextTest(Record):
    """What a text must hold or must not, whatever the case of its letters. A bare text means `contains`."""

    contains: Texts = ()
    lacks: Texts = ()
    matches: Texts = ()
    """Regular expressions."""

    @field_validator("matches")
    @classmethod
    def _compile(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            try:
                re.compile(one)
            except re.error as error:
                raise ValueError(f"`{one}` is no regular expression: {error}") from None
        return value


def _text_test(value: object) -> object:
    return {"contains": cast("object", value)} if isinstance(value, str | list) else value


Test = Annotated[TextTest, BeforeValidator(_text_test)]


class AnswerTest(TextTest):
    """What the answer must hold: texts, figures in any notation, and a part of its structured data."""

    figures: Figures = ()
    """`1250.5` is found in `1.250,50 €` too."""
    no_figures: Figures = ()
    data: dict[str, Any] = Field(default_factory=dict)
    """Stands in `result.json`, or in the data of one of the findings; some keys of an object suffice."""

    @field_validator("figures", "no_figures")
    @classmethod
    def _figures(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            if len(scan(one).figures) != 1:
                raise ValueError(f"`{one}` is no figure; write one number each, such as 1250.50")
        return value


class ExpectedCall(Record):
    """A call of a tool. A bare text is the tool's name; `arguments` are those that matter, the others are free."""

    tool: Annotated[str, Field(min_length=1)]
    arguments: dict[str, Any] = Field(default_factory=dict)
    ok: bool | None = None
    """True: it has to succeed; false: it has to fail."""
    agent: str | None = None


def _call(value: object) -> object:
    return {"tool": value} if isinstance(value, str) else value


Called = Annotated[ExpectedCall, BeforeValidator(_call)]


class TicketTest(Record):
    """A question that has to be put to a person."""

    question: Test = TextTest()
    about: str | None = None
    topic: Topic | None = None


class Expected(Record):
    """What has to come of a goal, and how."""

    ending: CaseEnding = "done"
    answer: AnswerTest = AnswerTest()
    tickets: tuple[TicketTest, ...] = ()
    calls: tuple[Called, ...] = ()
    order: Order = "given"
    """Of the expected calls; others may stand between them."""
    only: bool = False
    """True: no other calls than the expected ones."""
    forbidden: tuple[Called, ...] = ()


class Person(Record):
    """A person who answers certain questions at once; without any condition, all of them."""

    question: Test = TextTest()
    about: str | None = None
    topic: Topic | None = None
    answer: Annotated[str, Field(min_length=1)]
    comment: str = ""


class _Shared(Record):
    """What a file says for all its cases, and each case may say otherwise."""

    team: str | None = None
    """A shipped team's name, or the path of a team file."""
    tools: Annotated[tuple[str, ...], Field(max_length=MOST_TOOLS)] = ()
    """In place of a team: the tools of a single agent that is made up for the case."""
    people: tuple[Person, ...] = ()
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _one_team(self) -> "_Shared":
        if self.team and self.tools:
            raise ValueError("give either `team` or `tools`")
        return self


class WrittenCase(_Shared):
    """A case as it is written."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    goal: Annotated[str, Field(min_length=1, max_length=20_000)]
    inputs: dict[Name, str] = Field(default_factory=dict)
    """Input name → path, beside the file of the cases."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    expect: Expected = Expected()


class CaseFile(_Shared):
    """A file of cases."""

    about: str = ""
    cases: Annotated[tuple[WrittenCase, ...], Field(min_length=1)]


class Case(Record):
    """A case, ready to be run."""

    name: str
    goal: str
    team: str | None
    tools: tuple[str, ...]
    inputs: Mapping[str, Path]
    parameters: Mapping[str, Any]
    people: tuple[Person, ...]
    limits: Limits
    expect: Expected
    source: str
    """`cases.yaml:12`."""
