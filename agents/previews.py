"""Previews: of which calls an agent has seen what they would do, and not yet had them done."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from orchestrator.domain.step import Step, StepCall

Same = tuple[str, str]


class Previews:
    """Remembers the previews that an agent has seen; carrying a call out uses its preview up."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self._seen: set[Same] = set()
        for step in steps:
            self.note(step)

    def note(self, step: Step) -> None:
        """Remember what a complete step showed and did."""
        calls = {call.id: call for call in step.calls}
        for result in step.results:
            if result.preview:
                self._seen.add(_same(calls[result.call_id]))
            elif result.ok:
                self._seen.discard(_same(calls[result.call_id]))

    def seen(self, step: Step) -> frozenset[str]:
        """Ids of the step's calls whose preview was seen before: of two same calls, only the first."""
        left, ids = set(self._seen), set[str]()
        for call in step.calls:
            if _same(call) in left:
                left.discard(_same(call))
                ids.add(call.id)
        return frozenset(ids)


def _same(call: StepCall) -> Same:
    return call.tool, _canonical(call.arguments)


def _canonical(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
