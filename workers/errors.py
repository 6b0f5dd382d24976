"""The errors of working; they hang on the trees of the orchestrator and of the agents.

SpentError
└── LimitReachedError       a budget does not allow the next call; `refusal` says which and why
ModelUnavailableError
└── MustWaitError           the endpoint's rate does not allow the next call yet; waiting is no failed try
"""

from functools import partial

from agents.errors import ModelUnavailableError, SpentError
from orchestrator.domain.budget import Kind, Refusal
from orchestrator.domain.budget_words import reached
from orchestrator.domain.finding import Ending

_ENDS = {Kind.TOKENS: Ending.TOKEN_LIMIT, Kind.MONEY: Ending.MONEY_LIMIT}


class LimitReachedError(SpentError):
    """A budget does not allow the next call of a model."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(reached(refusal), where=refusal.account)
        self.refusal = refusal
        self.ending = _ENDS.get(refusal.kind, Ending.RUN_LIMIT)
        self.final = not refusal.busy and refusal.on_limit == "stop"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.refusal,)


class MustWaitError(ModelUnavailableError):
    """The next call of a model has to wait for longer than a thread may be held."""

    def __init__(self, model: str, seconds: float) -> None:
        super().__init__(f"the rate of model {model} allows the next call in {seconds:.1f} s", retry_after=seconds)
        self.model = model
        self.seconds = seconds

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.model, self.seconds), ()
