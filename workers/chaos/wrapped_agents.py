"""Agents whose models and tools break before, inside and after each call."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from agents.models.base import Model, ModelReply, ModelRequest, Usage
from agents.models.openai_chat.tries import OnTry, TryEvent
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
COUNTED = "counted"
NOWHERE = "http://nowhere"
"""The endpoint whose rate is kept."""

Kind = Literal["tool", "undo"]


class DisturbedAgents:
    """The same agents, with faults around what they call."""

    def __init__(self, inner: Agents, faults: Faults, on_try: OnTry) -> None:
        self._inner = inner
        self._faults = faults
        self._on_try = on_try

    def agent(self, claim: Claim) -> Agent:
        """The agent of the claimed subtask."""
        agent = self._inner.agent(claim)
        undoes = claim.subtask.spec.kind == "undo"
        # Undoing costs nothing and no budget may stop it, so nothing is set aside for it.
        counts = not undoes and agent.model.name == PLAYBOOK
        model = DisturbedModel(agent.model, self._faults, self._on_try if counts else None)
        toolbox = DisturbedToolbox(agent.toolbox, self._faults, "undo" if undoes else "tool")
        return replace(agent, model=model, toolbox=toolbox)


def disturbed_agents(settings: Settings, inner: Agents, on_try: OnTry) -> DisturbedAgents:
    """The agents with the faults of this process around what they call; `on_try` keeps the rate of what they ask."""
    return DisturbedAgents(inner, faults_of(settings), on_try)


class DisturbedModel:
    """The same model, which may not be reached, or whose reply may be lost; then it is asked once more.

    With `on_try` it counts: a playbook costs nothing and has no rate, so tokens are counted for it and it asks for its
    turn as a model's client does. So budgets and the limiter are at work.
    """

    def __init__(self, inner: Model, faults: Faults, on_try: OnTry | None = None) -> None:
        self._inner = inner
        self._faults = faults
        self._on_try = on_try

    @property
    def name(self) -> str:
        """The model's name, which is not a playbook's where it counts."""
        return self._inner.name if self._on_try is None else COUNTED

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply. Raises what a client's listener raises: there is no place, or no budget, for another try."""
        size = request_size(request)
        begins = TryEvent("start", self.name, NOWHERE, request.step, 1, size, size // BYTES_A_TOKEN)
        while True:
            self._tell(begins)
            reply, sent = self._tried(request)
            if reply is not None:
                return self._counted(reply, begins)
            self._tell(replace(begins, phase="end", failure="the connection was cut", again=True, sent=sent))
            begins = replace(begins, attempt=begins.attempt + 1)

    def _counted(self, reply: ModelReply, begins: TryEvent) -> ModelReply:
        """The reply, with its tokens where it counts."""
        if self._on_try is None:
            return reply
        said = len(reply.text) + len(reply.thought) + sum(len(str(call.arguments)) for call in reply.calls)
        usage = Usage(COUNTED, begins.sent_tokens, said // BYTES_A_TOKEN)
        self._tell(replace(begins, phase="end", usage=usage))
        return replace(reply, usage=usage)

    def _tried(self, request: ModelRequest) -> tuple[ModelReply | None, bool]:
        """The reply, if it was not lost; and whether anything was sent."""
        if self._faults.meet("model.before") == "error":
            return None, False
        reply = self._inner.complete(request)
        lost = self._faults.meet("model.after") == "error"
        return None if lost else reply, True

    def _tell(self, event: TryEvent) -> None:
        if self._on_try is not None:
            self._on_try(event)


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
