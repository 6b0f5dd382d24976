"""The port of drafts: what a team can already say of a run that has not ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from orchestrator.domain.observation import Observation
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Subtask
from orchestrator.domain.ticket import Ticket


@dataclass(frozen=True, slots=True)
class SoFar:
    """What is known of a run now. `content(observation)` reads an observation's whole result."""

    run: Run
    subtasks: Sequence[Subtask]
    observations: Mapping[str, Observation]
    tickets: Sequence[Ticket]
    texts: Mapping[str, str]
    """The text of each finding, by the subtask's key."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A provisional answer: the report so far, its structured part, its files."""

    report: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


class ContentReader(Protocol):
    """Reads what an observation holds."""

    def content(self, observation: Observation) -> Any:
        """The whole result of the observation as JSON data."""
        ...


class Drafter(Protocol):
    """Writes the draft of a team's runs, without a model."""

    def draft(self, so_far: SoFar, reader: ContentReader) -> Drafted | None:
        """The draft, or None when the team has none to give yet."""
        ...
