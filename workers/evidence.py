"""Evidence of a run as its tools and agents may see it: inputs as local files, observations by their number."""

from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agents.errors import ToolError
from orchestrator.domain.observation import Artifact
from orchestrator.domain.run import Run
from orchestrator.engine.services.checking import Checker
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.store import Store

LOOKED_THROUGH = 4_000_000
"""Bytes of observations that a finding is checked against; the answer's own check reads what it cites, of any size."""


class RunEvidence:
    """What one run knows; reads the store when asked, since other subtasks add to it meanwhile."""

    def __init__(
        self, run: Run, store: Store, blobs: Blobs, checker: Checker, settings: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._run = run
        self._store = store
        self._blobs = blobs
        self._checker = checker
        self._settings = settings

    def input(self, name: str) -> Path:
        """The local copy of an input file. Raises ToolError('unknown_input')."""
        for file in self._run.goal.inputs:
            if file.name == name:
                return self._blobs.local(file.blob)
        known = ", ".join(self.input_names()) or "none"
        raise ToolError("unknown_input", f"the goal has no input `{name}`", hint=f"It has: {known}.")

    def input_names(self) -> Mapping[str, str]:
        """Input name → original file name."""
        return {file.name: file.filename for file in self._run.goal.inputs}

    def observed(self, ref: str) -> Any:
        """The `data` of an observation. Raises ToolError('unknown_evidence')."""
        found = self._store.observations(self._run.id, [ref]).get(ref)
        if found is None:
            known = ", ".join(sorted(self.refs())) or "none"
            raise ToolError("unknown_evidence", f"there is no observation `{ref}`", hint=f"There are: {known}.")
        content = self._checker.content(found)
        return content.get("data") if isinstance(content, dict) else content

    def refs(self) -> frozenset[str]:
        """The numbers of all observations of the run."""
        return frozenset(self._store.observations(self._run.id))

    def contents(self, refs: Collection[str]) -> Mapping[str, object]:
        """Whole results of observations by number; none at all when they are too large to be looked through here."""
        found = self._store.observations(self._run.id, refs)
        if sum(one.size for one in found.values()) > LOOKED_THROUGH:
            return {}
        return {ref: self._checker.content(one) for ref, one in found.items()}

    def artifacts(self) -> frozenset[str]:
        """`E4.2/name` of all files that tools of the run made."""
        return frozenset(self._artifacts())

    def files(self) -> Mapping[str, int]:
        """`E4.2/name` → bytes, of all files that tools of the run made."""
        return {name: artifact.size for name, artifact in self._artifacts().items()}

    def file(self, name: str) -> Path:
        """The local copy of such a file. Raises ToolError('unknown_file')."""
        found = self._artifacts().get(name)
        if found is None:
            known = ", ".join(sorted(self._artifacts())) or "none"
            raise ToolError(
                "unknown_file", f"no tool of this run made a file `{name[:200]}`", hint=f"There are: {known}."
            )
        return self._blobs.local(found.blob)

    def setting(self, name: str) -> str | None:
        """What the installation sets for tools."""
        return self._settings.get(name)

    def _artifacts(self) -> dict[str, Artifact]:
        observations = self._store.observations(self._run.id).values()
        return {f"{one.ref}/{artifact.name}": artifact for one in observations for artifact in one.artifacts}
