"""Agents whose models and tools break before, inside and after each call."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from agents.models.base import Model, ModelReply, ModelRequest, Usage
from agents.models.playbook import NAME as PLAYBOOK
from agents.react import Agent
from agents.toolbox import Asked, Observed, Toolbox, Uncertain
from agents.tools.function import NotHappened, Unknown
from orchestrator.config import Settings
from orchestrator.domain.step import StepCall
from orchestrator.engine.services.claims import Claim
from orchestrator.ports.clock import Deadline
from workers.chaos.faults import Faults
from workers.chaos.wrapping import faults_of
from workers.metered_model import request_size
from workers.turn import Agents

BYTES_A_TOKEN = 4

Kind = Literal["tool", "undo"]


class DisturbedAgents:
    """The same agents, with faults around what they call."""

    def __init__(self, inner: Agents, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def agent(self, claim: Claim) -> Agent:
        """The agent of the claimed subtask."""
        agent = self._inner.agent(claim)
        undoes = claim.subtask.spec.kind == "undo"
        # Undoing costs nothing and no budget may stop it, so nothing is set aside for it.
        counted = agent.model if undoes or agent.model.name != PLAYBOOK else CountedModel(agent.model)
        toolbox = DisturbedToolbox(agent.toolbox, self._faults, "undo" if undoes else "tool")
        return replace(agent, model=DisturbedModel(counted, self._faults), toolbox=toolbox)


def disturbed_agents(settings: Settings, inner: Agents) -> DisturbedAgents:
    """The agents with the faults of this process around what they call."""
    return DisturbedAgents(inner, faults_of(settings))


class CountedModel:
    """A playbook costs nothing; this one counts tokens as a model would, so that budgets are at work."""

    name = "counted"

    def __init__(self, playbook: Model) -> None:
        self._playbook = playbook

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply, with its tokens."""
        reply = self._playbook.complete(request)
        said = len(reply.text) + len(reply.thought) + sum(len(str(call.arguments)) for call in reply.calls)
        usage = Usage(self.name, request_size(request) // BYTES_A_TOKEN, said // BYTES_A_TOKEN)
        return replace(reply, usage=usage)


class DisturbedModel:
    """The same model."""

    def __init__(self, inner: Model, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply."""
        self._faults.meet("model.before")
        reply = self._inner.complete(request)
        self._faults.meet("model.after")
        return reply


class DisturbedToolbox(Toolbox):
    """The same tools, those that undo something at points of their own."""

    def __init__(self, inner: Toolbox, faults: Faults, kind: Kind) -> None:
        super().__init__(tuple(inner._tools.values()), inner._evidence, inner._isolation)
        self._faults = faults
        self._kind = kind

    def run(
        self, call: StepCall, ref: str, deadline: Deadline, key: str, begin: Callable[[], None] = lambda: None
    ) -> Observed | Asked | Uncertain:
        """Answer the call."""

        def begun() -> None:
            begin()
            self._faults.meet(f"{self._kind}.begun")

        self._faults.meet(f"{self._kind}.before")
        done = super().run(call, ref, deadline, key, begun)
        self._faults.meet(f"{self._kind}.after")
        return done

    def find_out(self, call: StepCall, ref: str, deadline: Deadline, key: str) -> Observed | NotHappened | Unknown:
        """Whether the call took effect."""
        self._faults.meet("verify.before")
        found = super().find_out(call, ref, deadline, key)
        self._faults.meet("verify.after")
        return found
