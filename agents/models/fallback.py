"""An agent's model and those that stand in for it when it does not answer or refuses."""

import logging
import threading
import time
from collections.abc import Callable, Sequence

from agents.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError
from agents.models.base import Model, ModelReply, ModelRequest

log = logging.getLogger(__name__)

REST_SECONDS = 30.0
"""A model that did not answer is asked after the others for so long."""


class Resting:
    """Which models of a process did not answer lately; shared by all its agents."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}

    def rest(self, name: str, seconds: float) -> None:
        """Ask the model after the others for so many seconds."""
        with self._lock:
            self._until[name] = self._now() + seconds

    def rests(self, name: str) -> bool:
        """True while the model is asked after the others."""
        with self._lock:
            return self._until.get(name, 0.0) > self._now()


class Fallback:
    """The Model port over several: each is asked once the one before it has failed or refused.

    An overflow is not passed on: the agent shortens its transcript, which helps whichever model is asked.
    """

    def __init__(self, models: Sequence[Model], resting: Resting) -> None:
        """`models`: the agent's own first; at least one."""
        self._models = tuple(models)
        self._resting = resting

    @property
    def name(self) -> str:
        """The name of the agent's own model; a reply's usage names the one that gave it."""
        return self._models[0].name

    def each(self, wrap: Callable[[Model], Model]) -> "Fallback":
        """The same over wrapped models."""
        return Fallback([wrap(model) for model in self._models], self._resting)

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply. Raises ContextOverflowError, and what its own model raised when no other answers either."""
        failures: list[ModelUnavailableError | ModelRefusedError] = []
        filtered: ModelReply | None = None
        for model in sorted(self._models, key=lambda one: self._resting.rests(one.name)):
            try:
                reply = model.complete(request)
            except ContextOverflowError:
                raise
            except (ModelUnavailableError, ModelRefusedError) as error:
                log.warning("the model %s is passed over: %s", model.name, error)
                if isinstance(error, ModelUnavailableError):
                    self._resting.rest(model.name, max(REST_SECONDS, error.retry_after or 0.0))
                failures.append(error)
                continue
            if reply.finish != "filter":
                return reply
            log.warning("the model %s is passed over: its answer was filtered", model.name)
            filtered = filtered or reply
        if filtered is not None:
            return filtered
        raise next((one for one in failures if isinstance(one, ModelUnavailableError)), failures[0])
