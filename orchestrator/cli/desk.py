"""What commands are handed: the engine's services, and how to have them opened."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.run import TeamRules
from orchestrator.engine.services.answering import Answers
from orchestrator.engine.services.reading import Reader
from orchestrator.engine.services.results import Results
from orchestrator.engine.services.submitting import Submitter


@dataclass(frozen=True, slots=True)
class Desk:
    """The services a command works with, for one person in one tenant."""

    scope: Scope
    actor: Actor
    submitter: Submitter
    answers: Answers
    reader: Reader
    results: Results
    keep_alive: "KeepAlive"
    exports: Path
    """Folder that remembers which folder a run's results were wanted in."""
    goes_on: str = "while workers are at work"
    """When a run goes on that nobody follows any more."""


class KeepAlive(Protocol):
    """Watches over what a running goal needs."""

    def __call__(self) -> None:
        """Start again what has ended. Raises ServiceError in one line when it can't be."""
        ...


@dataclass(frozen=True, slots=True)
class ChosenTeam:
    """A team, ready to be given a goal."""

    rules: TeamRules
    pinned: str
    models: tuple[str, ...]
    """The models of its agents, each once; `playbook` where no model is configured."""


class Wiring(Protocol):
    """Opens services and teams for commands."""

    def reading(self) -> AbstractContextManager[Desk]:
        """Services for reading; nothing is started."""
        ...

    def working(self) -> AbstractContextManager[Desk]:
        """Services with a broker and a worker behind them, started if need be."""
        ...

    def team(self, name: str) -> ChosenTeam:
        """The team of this name or path. Raises TeamError, ConfigError."""
        ...

    def check_inputs(self, team: ChosenTeam, inputs: Mapping[str, Path], parameters: Mapping[str, Any]) -> None:
        """Before anything is stored: the team looks at its inputs, and its model has to be there.

        Raises InputError, ConfigError.
        """
        ...
