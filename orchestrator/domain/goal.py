"""A goal: what the user asks for, with its input files, parameters and limits."""

from typing import Annotated, Any

from pydantic import Field

from orchestrator.domain.record import Record

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
"""How inputs, agents and subtasks are called."""


class InputFile(Record):
    """A file of the goal, copied into the blob store when the goal was submitted."""

    name: Name
    filename: str
    blob: str
    size: int


class Limits(Record):
    """What a run may use; None: no limit of that kind."""

    tokens: Annotated[int | None, Field(ge=1)] = None
    """Input and output tokens of all model calls."""
    seconds: Annotated[float | None, Field(gt=0)] = None
    """Working time of all subtasks together, waits not counted."""
    steps: Annotated[int | None, Field(ge=1)] = None
    """Steps of all subtasks together."""


class Goal(Record):
    """What somebody wants done."""

    text: Annotated[str, Field(min_length=1, max_length=20_000)]
    inputs: tuple[InputFile, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    limits: Limits = Limits()
    asker: str = "local"

    def input_names(self) -> frozenset[str]:
        """Names that a plan may refer to."""
        return frozenset(file.name for file in self.inputs)
