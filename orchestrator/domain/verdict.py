"""What composers and reviewers answer: the composed answer, and the verdict on it."""

from typing import Literal

from pydantic import Field

from orchestrator.domain.finding import ArtifactRef, ObservationRef
from orchestrator.domain.record import Record


class Composed(Record):
    """The composer's answer. Figures in `answer` cite their observation as `[E4.2]`; `{{E4.2/table.md}}` on a line of
    its own takes in a text that a tool made, so that long tables never pass through a model."""

    answer: str = Field(min_length=1)
    failed: bool = False
    """True when the goal was not reached at all; the answer says why."""
    result: ObservationRef | None = None
    artifacts: tuple[ArtifactRef, ...] = ()


class SentBack(Record):
    """One subtask that has to be done again, and why."""

    subtask: str
    reason: str = Field(min_length=1)


class Verdict(Record):
    """The reviewer's answer. `withhold` lists literal strings of the answer that must not leave."""

    verdict: Literal["pass", "send_back"]
    send_back: tuple[SentBack, ...] = ()
    withhold: tuple[str, ...] = ()
    note: str = ""
