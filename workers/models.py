"""Models of agents: the endpoint's, or the playbook that stands in when no model is configured."""

import threading
from collections.abc import Callable
from functools import lru_cache

from agents.catalog import AgentSpec, Team
from agents.models.base import Model
from agents.models.fallback import Fallback, Resting
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.model import Sampling
from agents.models.openai_chat.registry import Models
from agents.models.openai_chat.retry import Retry
from agents.models.openai_chat.tries import OnTry
from agents.models.playbook import NAME as PLAYBOOK
from agents.models.playbook import load_playbook
from agents.models.prices import cost
from orchestrator.config import Settings
from orchestrator.errors import ConfigError
from workers.tries import PATIENCE


def endpoint(settings: Settings) -> Endpoint:
    """The model endpoint that the environment names. Raises ConfigError."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    return Endpoint(settings.openai_base_url, key, settings.model)


def with_models(team: Team, settings: Settings) -> Team:
    """The team with the model of each agent settled, as it is pinned to a run.

    Raises ConfigError when an agent has neither a model nor a playbook.
    """

    def settled(agent: AgentSpec) -> AgentSpec:
        model = agent.model or settings.model or (PLAYBOOK if agent.playbook else None)
        if model is None:
            raise ConfigError(
                f"agent `{agent.name}` of team `{team.name}` needs a model",
                where="REMIT_MODEL",
                mend="Set REMIT_MODEL and OPENAI_API_KEY (or OPENAI_BASE_URL), or name a playbook in the team file.",
            )
        default = tuple(name for one in settings.fallbacks.split(",") if (name := one.strip()))
        fallbacks = agent.fallbacks or (default if model == settings.model and not agent.model else ())
        others = tuple(name for name in dict.fromkeys(fallbacks) if name != model)
        return agent.model_copy(update={"model": model, "fallbacks": others})

    settled_team = team.model_copy(
        update={
            "planner": settled(team.planner),
            "composer": settled(team.composer),
            "reviewer": settled(team.reviewer),
            "specialists": tuple(settled(agent) for agent in team.specialists),
        }
    )
    named = {name for agent in settled_team.agents() for name in (agent.model, *agent.fallbacks)}
    if named - {PLAYBOOK}:
        endpoint(settings)
    return settled_team


class ConfiguredModels:
    """Gives agents the model they were pinned with; the client is made when the first real model is asked for."""

    def __init__(self, settings: Settings, on_try: OnTry | None = None) -> None:
        """`on_try` hears of each try at a call; a wait longer than `PATIENCE` seconds is left to the turn."""
        self._settings = settings
        self._on_try = on_try
        self._models: Models | None = None
        self._lock = threading.Lock()
        self._resting = Resting()
        self._playbook: Callable[[str], Model] = lru_cache(maxsize=256)(load_playbook)

    def model_of(self, agent: AgentSpec) -> Model:
        """The agent's model, with those that stand in for it. Raises ConfigError, TeamError."""
        own = self._named(agent.model, agent)
        if not agent.fallbacks:
            return own
        return Fallback([own, *(self._named(name, agent) for name in agent.fallbacks)], self._resting)

    def _named(self, name: str | None, agent: AgentSpec) -> Model:
        if name == PLAYBOOK:
            return self._playbook(agent.playbook or "")
        sampling = Sampling(temperature=agent.temperature, max_output=agent.max_output, seconds=agent.timeout)
        return self._endpoint().model(name, sampling, agent.protocol)

    def _endpoint(self) -> Models:
        """The one registry of all threads: a second one would learn for itself, and nobody would close its client."""
        with self._lock:
            if self._models is None:
                retry = Retry(patience=PATIENCE)
                self._models = Models(endpoint(self._settings), on_try=self._on_try, retry=retry)
            return self._models

    def close(self) -> None:
        """Close the connections to the endpoint, if there are any."""
        with self._lock:
            if self._models is not None:
                self._models.close()

    def price(self, model: str, input_tokens: int, output_tokens: int) -> str | None:
        """Dollars of a call at this endpoint, as a text; None for a model without a known price."""
        address = endpoint(self._settings).shown
        return cost((model,), address, input_tokens=input_tokens, output_tokens=output_tokens)
