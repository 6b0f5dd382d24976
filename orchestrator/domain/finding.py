"""A finding: the immutable, structured result of a subtask, with the observations it rests on."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from orchestrator.domain.record import Record


class Ending(StrEnum):
    """Why a subtask's agent stopped; always recorded."""

    ANSWER = "answer"
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105  # a name, not a secret
    MONEY_LIMIT = "money_limit"
    TIME_LIMIT = "time_limit"
    RUN_LIMIT = "run_limit"
    NO_PROGRESS = "no_progress"
    MODEL_UNAVAILABLE = "model_unavailable"
    REFUSED = "refused"
    UNPARSABLE = "unparsable"
    SET_ASIDE = "set_aside"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


FindingStatus = Literal["done", "partial", "failed", "skipped"]
"""`done` and `partial` hold something that dependents can use."""

ObservationRef = Annotated[str, Field(pattern=r"^E\d+\.\d+$")]
"""`E<subtask>.<n>`: the number of a stored observation."""
ArtifactRef = Annotated[str, Field(pattern=r"^E\d+\.\d+/.+$")]
"""`E<subtask>.<n>/<file name>`: a file that a tool made."""


class Finding(Record):
    """What a subtask found. `text` is for people and models, `data` for code; `result` names the observation whose
    data is the structured result when it is too large to be repeated."""

    status: FindingStatus
    ending: Ending
    text: str = ""
    data: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[ObservationRef, ...] = ()
    result: ObservationRef | None = None
    artifacts: tuple[ArtifactRef, ...] = ()

    @property
    def usable(self) -> bool:
        """True when dependents that need this subtask `done` can go on."""
        return self.status in {"done", "partial"}
