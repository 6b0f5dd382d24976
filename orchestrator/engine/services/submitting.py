"""Submitting: a goal with its files becomes a run that nothing can lose any more."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.domain.budget import Purse
from orchestrator.domain.goal import Goal, InputFile, Limits
from orchestrator.domain.identity import Actor, Scope, new_id
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import Lane
from orchestrator.engine import intake
from orchestrator.engine.services.applying import Applier
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.clock import Clock
from orchestrator.ports.telemetry import Telemetry


@dataclass(frozen=True, slots=True)
class Request:
    """What a face hands in."""

    text: str
    inputs: Mapping[str, Path]
    rules: TeamRules
    pinned_team: str
    """The team as JSON, with all its texts."""
    parameters: Mapping[str, Any]
    limits: Limits
    parallel: int | None = None
    """How many of the run's subtasks may be at work at the same time."""
    lane: Lane | None = None
    """Who waits for it; None: as the team says."""


class Submitter:
    """Accepts goals."""

    def __init__(
        self, applier: Applier, blobs: Blobs, clock: Clock, telemetry: Telemetry, purse: Purse | None = None
    ) -> None:
        """`purse`: what the installation allows; without one there are the limits of runs and teams alone."""
        self._purse = purse or Purse()
        self._applier = applier
        self._blobs = blobs
        self._clock = clock
        self._telemetry = telemetry

    def submit(self, request: Request, scope: Scope, actor: Actor) -> Run:
        """Copy the inputs, store the run and wake a worker. Raises InputError before anything is stored."""
        files = tuple(self._copied(name, path) for name, path in request.inputs.items())
        run = Run(
            id=new_id("r"),
            tenant=scope.tenant,
            goal=Goal(
                text=request.text,
                inputs=files,
                parameters=dict(request.parameters),
                limits=request.limits,
                parallel=request.parallel,
                asker=actor.id,
            ),
            rules=intake.in_lane(request.rules, request.lane),
            team_blob=self._blobs.put(request.pinned_team.encode()),
            trace=self._telemetry.new_trace(),
            created_at=self._clock.now(),
        )
        run, accounts = intake.limited(run, self._purse)
        self._applier.apply([*intake.opened(run, actor), *accounts])
        return run

    def _copied(self, name: str, path: Path) -> InputFile:
        address, size = self._blobs.put_file(path)
        return InputFile(name=name, filename=path.name, blob=address, size=size)
