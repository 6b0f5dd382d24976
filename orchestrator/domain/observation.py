"""An observation: what a tool returned, stored by content and numbered `E<subtask>.<n>`."""

from orchestrator.domain.finding import ObservationRef
from orchestrator.domain.record import Record


class Artifact(Record):
    """A file that a tool made, kept as a blob."""

    name: str
    blob: str
    size: int


class Observation(Record):
    """What one tool call returned. `content` is the whole result as JSON text; large ones stand in the blob `blob`."""

    ref: ObservationRef
    tool: str
    ok: bool
    summary: str
    content: str | None
    blob: str | None = None
    size: int
    artifacts: tuple[Artifact, ...] = ()


def observation_ref(number: int, n: int) -> str:
    """The name of observation `n` of the subtask numbered `number`."""
    return f"E{number}.{n}"
