"""Metering: has the agents of a worker ask their models within the budgets and rates that hold for their run."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from agents.models.base import Model
from agents.models.fallback import Fallback
from agents.models.playbook import NAME as PLAYBOOK
from agents.react import Agent
from orchestrator.engine.services.claims import Claim
from orchestrator.ports.store import Store
from workers.meter import PriceOf, TurnMeter
from workers.metered_model import MeteredModel
from workers.tries import Tries


class Metering:
    """Makes the meter of each turn. `tries` is what the models tell of each try at a call."""

    def __init__(self, store: Store, price: PriceOf, tries: Tries) -> None:
        self._store = store
        self._price = price
        self.tries = tries

    @contextmanager
    def turn(self, claim: Claim, agent: Agent) -> Generator[Agent]:
        """The agent as it works for the block, in this thread: counted, where a budget concerns its run."""
        tariff = claim.run.goal.limits.tariff
        if tariff is None:
            with self.tries.turn(claim.run.id, None):
                yield agent
            return
        most_output = None if agent.model.name == PLAYBOOK else agent.most_output
        meter = TurnMeter(claim, tariff, self._store, self._price, most_output)
        with self.tries.turn(claim.run.id, meter):
            yield replace(agent, model=_metered(agent.model, meter))


def _metered(model: Model, meter: TurnMeter) -> Model:
    """Each model that may be asked sets aside its own worst, at its own price."""
    if isinstance(model, Fallback):
        return model.each(lambda one: MeteredModel(one, meter))
    return MeteredModel(model, meter)


def without_prices(model: str, input_tokens: int, output_tokens: int) -> str | None:
    """Knows no price: every call counts at the tariff of its run."""
    del model, input_tokens, output_tokens
    return None
