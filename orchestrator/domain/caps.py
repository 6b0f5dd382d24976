"""Caps: how many subtasks may be at work at the same time, of a run, of a team, of an agent, or with a tool."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from orchestrator.domain.record import Record

Cap = Annotated[int, Field(ge=1, le=100_000)]
"""So many at the same time."""


class TeamCaps(Record):
    """What a team says, for all its runs together."""

    team: Cap | None = None
    agents: Mapping[str, Cap] = Field(default_factory=dict)
    tools: Mapping[str, Cap] = Field(default_factory=dict)
    users: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """By agent: those of its tools that have a cap."""


class RunCaps(Record):
    """What concerns one run, by the names of pools: those of all its subtasks, and by agent those of its subtasks."""

    every: Mapping[str, Cap] = Field(default_factory=dict)
    agents: Mapping[str, Mapping[str, Cap]] = Field(default_factory=dict)

    def most(self) -> Mapping[str, int]:
        """How many each pool takes."""
        return {**self.every, **{pool: cap for pools in self.agents.values() for pool, cap in pools.items()}}

    def pools(self, agent: str) -> tuple[str, ...]:
        """The pools in which a subtask of the agent takes a place while it is at work."""
        return tuple(sorted({*self.every, *self.agents.get(agent, {})}))


def caps_of(run_id: str, tenant: str, team: str, caps: TeamCaps, parallel: int | None) -> RunCaps:
    """The caps of a run: its own, and those that its team's runs share."""
    shared = f"{tenant}/{team}"
    every: dict[str, int] = {} if parallel is None else {run_pool(run_id): parallel}
    if caps.team is not None:
        every[f"team {shared}"] = caps.team
    agents: dict[str, dict[str, int]] = {
        agent: {f"tool {shared}/{tool}": caps.tools[tool] for tool in tools} for agent, tools in caps.users.items()
    }
    for agent, cap in caps.agents.items():
        agents.setdefault(agent, {})[f"agent {shared}/{agent}"] = cap
    return RunCaps(every=every, agents=agents)


def run_pool(run_id: str) -> str:
    """The pool of a run's own cap."""
    return f"run {run_id}"


@dataclass(frozen=True, slots=True)
class InLine:
    """A subtask that is held back, since when it stands in line, and the pools in which it needs a place."""

    subtask_id: str
    since: datetime
    pools: Sequence[str]


class Room:
    """The places that are left in pools."""

    def __init__(self, most: Mapping[str, int], taken: Iterable[Sequence[str]]) -> None:
        """`taken`: the pools of each subtask that is at work, or about to be."""
        self._most = most
        self._taken = Counter(pool for pools in taken for pool in pools)

    def has(self, pools: Iterable[str]) -> bool:
        """True when each of the pools has a place left; one that nobody limits has."""
        return all(pool not in self._most or self._taken[pool] < self._most[pool] for pool in pools)

    def admit(self, line: Iterable[InLine], limit: int) -> list[str]:
        """The first in line for whom there is room, each of whom takes his places."""
        admitted: list[str] = []
        for one in sorted(line, key=lambda one: (one.since, one.subtask_id)):
            if len(admitted) == limit:
                break
            if self.has(one.pools):
                self._taken.update(one.pools)
                admitted.append(one.subtask_id)
        return admitted
