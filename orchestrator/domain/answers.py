"""What a specialist answers: its summary for people and models, data for code, and the observations it rests on."""

from typing import Any

from pydantic import Field

from orchestrator.domain.finding import ArtifactRef, ObservationRef
from orchestrator.domain.record import Record


class Answer(Record):
    """A specialist's answer."""

    summary: str = Field(min_length=1)
    data: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[ObservationRef, ...] = ()
    result: ObservationRef | None = None
    artifacts: tuple[ArtifactRef, ...] = ()
