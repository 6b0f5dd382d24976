"""Checking: read what an answer cites and have the rules of evidence and of withholding look at it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.domain import evidence, withholding
from orchestrator.domain.finding import Finding
from orchestrator.domain.observation import Observation
from orchestrator.domain.run import Run
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.store import Store

_TEXTS = (".md", ".txt")


@dataclass(frozen=True, slots=True)
class Checked:
    """What the code found about an answer."""

    text: str
    """The answer with its includes taken in."""
    faults: tuple[str, ...]
    withheld: tuple[str, ...]


class Checker:
    """Checks answers against the evidence of their run."""

    def __init__(self, store: Store, blobs: Blobs) -> None:
        self._store = store
        self._blobs = blobs

    def check(self, run: Run, finding: Finding | None) -> Checked:
        """Check figures, quotes and sums of an answer, and look for what must not leave."""
        if finding is None or not finding.text.strip():
            return Checked("", ("There is no answer to check.",), ())
        observations = self._store.observations(run.id)
        files = self._files(observations)
        text, missing = evidence.expand(finding.text, files)
        contents = {ref: self.content(one) for ref, one in observations.items() if ref in text}
        written = {name: files[name] for name in files if name.endswith(_TEXTS) and name.split("/", 1)[0] in contents}
        found = evidence.check(text, contents, given=_given(run), texts=written)
        faults = [*missing, *(str(fault) for fault in found)]
        hits = withholding.find(text, run.rules.withhold)
        return Checked(text, tuple(faults), tuple(dict.fromkeys(hit.text for hit in hits)))

    def content(self, observation: Observation) -> Any:
        """The whole result of an observation as JSON data."""
        if observation.content is not None:
            return json.loads(observation.content)
        return json.loads(self._blobs.get(observation.blob or ""))

    def _files(self, observations: Mapping[str, Observation]) -> Mapping[str, str]:
        return _Files({f"{o.ref}/{a.name}": a.blob for o in observations.values() for a in o.artifacts}, self._blobs)


def _given(run: Run) -> str:
    """What needs no source, because whoever asked knows it."""
    names = " ".join(file.filename for file in run.goal.inputs)
    return f"{run.goal.text}\n{names}\n{json.dumps(run.goal.parameters, ensure_ascii=False, default=str)}"


class _Files(Mapping[str, str]):
    """The texts that tools made, by `E4.2/name`; read only when they are asked for."""

    def __init__(self, addresses: Mapping[str, str], blobs: Blobs) -> None:
        self._addresses = addresses
        self._blobs = blobs

    def __getitem__(self, name: str) -> str:
        return self._blobs.get(self._addresses[name]).decode("utf-8-sig", errors="replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self._addresses)

    def __len__(self) -> int:
        return len(self._addresses)
