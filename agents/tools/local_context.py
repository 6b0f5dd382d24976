"""A tool's context from local files: to try a tool, or to test it, without a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.errors import ToolError
from orchestrator.ports.clock import Deadline


def _one_minute() -> Deadline:
    return Deadline.after(60)


@dataclass(frozen=True, slots=True)
class LocalContext:
    """What a tool may ask for, given beforehand."""

    inputs: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Input name → file."""
    observations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`E4.2` → the data of that observation."""
    made: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """`E4.2/name` → a file that a tool made."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    deadline: Deadline = field(default_factory=_one_minute)
    idempotency_key: str = "local/tool#1.c1.0"

    def input(self, name: str) -> Path:
        """The input file `name`."""
        return _found(self.inputs, name, "unknown_input", f"the goal has no input `{name}`")

    def input_names(self) -> Mapping[str, str]:
        """Input name → file name."""
        return {name: path.name for name, path in self.inputs.items()}

    def observed(self, ref: str) -> Any:
        """The data of an observation."""
        return _found(self.observations, ref, "unknown_evidence", f"there is no observation `{ref}`")

    def files(self) -> Mapping[str, int]:
        """`E4.2/name` → bytes."""
        return {name: path.stat().st_size for name, path in self.made.items()}

    def file(self, name: str) -> Path:
        """A file that a tool made."""
        return _found(self.made, name, "unknown_file", f"no tool of this run made a file `{name}`")

    def setting(self, name: str) -> str | None:
        """What is set for tools."""
        return self.settings.get(name)


def _found(known: Mapping[str, Any], name: str, code: str, what: str) -> Any:
    if name not in known:
        raise ToolError(code, what, hint=f"There are: {', '.join(known) or 'none'}.")
    return known[name]
