"""Progress: whether an agent still learns something, told from the fingerprints of its calls and their results."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.domain.step import Step

SAME_AGAIN = 3
"""The same call with the same result in so many steps is no progress; cycles of any length end here too."""
NOTHING_NEW = 6
"""So many steps in a row without a result that was not seen before are none either, whatever they asked."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A call and what came of it: tool, canonical arguments, digest of the whole result."""

    tool: str
    arguments: str
    result: str


class Progress:
    """Remembers what a subtask's agent has seen."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self._seen: Counter[Fingerprint] = Counter()
        self._results: set[str] = set()
        self._stale = 0
        for step in steps:
            self.note(step)

    def note(self, step: Step) -> None:
        """Remember the results of a step."""
        # A call that stands twice in one reply was made before its agent could be told of it: it counts once.
        found = frozenset(fingerprints(step))
        if found:
            self._stale = 0 if any(one.result not in self._results for one in found) else self._stale + 1
        self._seen.update(found)
        self._results.update(one.result for one in found)

    def repeats(self, step: Step) -> bool:
        """True when one of the step's calls gave the same result before."""
        return any(self._seen[one] for one in fingerprints(step))

    def stuck(self, step: Step) -> str | None:
        """Why there is no progress any more after this step, or None."""
        for one in fingerprints(step):
            if self._seen[one] >= SAME_AGAIN:
                return f"{one.tool} was called in {SAME_AGAIN} steps with the same arguments and gave the same result."
        if self._stale >= NOTHING_NEW:
            return f"The last {self._stale} steps gave nothing that had not been seen before."
        return None


def fingerprints(step: Step) -> Sequence[Fingerprint]:
    """The fingerprints of the step's calls that have results; a malformed call has none, it is mended."""
    calls = {call.id: call for call in step.calls if not call.malformed}
    return [
        Fingerprint(calls[one.call_id].tool, _canonical(calls[one.call_id].arguments), one.digest)
        for one in step.results
        if one.call_id in calls
    ]


def _canonical(arguments: object) -> str:
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
