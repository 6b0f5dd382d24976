"""A goal: what the user asks for, with its input files, parameters and limits."""

from typing import Annotated, Any

from pydantic import Field

from orchestrator.domain.budget import Allowance, OnLimit, Tariff
from orchestrator.domain.caps import Cap
from orchestrator.domain.record import Record

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
"""How inputs, agents and subtasks are called."""


class InputFile(Record):
    """A file of the goal, copied into the blob store when the goal was submitted."""

    name: Name
    filename: str
    blob: str
    size: int


class Limits(Allowance):
    """What a run may use, and what happens when it has."""

    on_limit: OnLimit | None = None
    """None: as the team says; when it says nothing, the run stops."""
    tariff: Tariff | None = None
    """How calls without a known price are counted; None: no limit concerns this run, and nothing is counted."""


class Goal(Record):
    """What somebody wants done."""

    text: Annotated[str, Field(min_length=1, max_length=20_000)]
    inputs: tuple[InputFile, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    limits: Limits = Limits()
    parallel: Cap | None = None
    """How many of the run's subtasks may be at work at the same time."""
    asker: str = "local"

    def input_names(self) -> frozenset[str]:
        """Names that a plan may refer to."""
        return frozenset(file.name for file in self.inputs)
