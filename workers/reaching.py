"""Reaching the model endpoint before a run is opened: one that is not there costs a line, not a failed run."""

from agents.models.openai_chat.answers import Lost
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.failures import lost, refused
from agents.models.openai_chat.registry import opened
from orchestrator.errors import ConfigError

SECONDS = 10.0
_KEY_IS_WRONG = frozenset({401, 403})


def reach(endpoint: Endpoint) -> None:
    """Raises ConfigError when nobody answers at the endpoint, or whoever does will not have the key.

    Whether it has the model shows with the first call: many servers list none, or not all.
    """
    client = opened(endpoint)
    try:
        answer = client.models(SECONDS)
    finally:
        client.close()
    if isinstance(answer, Lost):
        failure = lost(endpoint.shown, answer)
    elif answer.status in _KEY_IS_WRONG:
        failure = refused(endpoint.shown, answer)
    else:
        return
    raise ConfigError(failure.what, mend=failure.mend)
