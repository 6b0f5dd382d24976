"""What a specialist answers: its summary for people and models, data for code, and the observations it rests on."""

from typing import Any, Literal

from pydantic import Field

from orchestrator.domain.finding import ArtifactRef, ObservationRef
from orchestrator.domain.record import Record


class Answer(Record):
    """A specialist's answer. `status`: `partial` or `failed` when the instruction could not be fulfilled; the summary
    then says why."""

    status: Literal["done", "partial", "failed"] = "done"
    summary: str = Field(min_length=1)
    data: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[ObservationRef, ...] = ()
    result: ObservationRef | None = None
    artifacts: tuple[ArtifactRef, ...] = ()
