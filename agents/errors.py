"""The errors of thinking: models that do not answer and tools that do not work; they hang on the orchestrator's tree.

OutsideError
└── ModelUnavailableError   the endpoint did not answer after all tries
UserError
└── ModelRefusedError       the endpoint refused the request itself (400, 401, 403, 404): a retry is useless
    ├── ContextOverflowError  the request is longer than the model's context: shrink it, then ask again
    └── ToolsRefusedError     the endpoint does not take tools for this model: ask it in the text protocol
RemitError
├── SpentError              a budget does not allow the next call; the agent may say what it knows, if that is allowed
└── ToolError               a tool call failed in a way the agent can read: code, message, retryable, hint
"""

from functools import partial

from orchestrator.domain.finding import Ending
from orchestrator.errors import OutsideError, RemitError, UserError


class ModelUnavailableError(OutsideError):
    """The model's endpoint did not give a whole reply, after all tries.

    `retry_after`: seconds after which the endpoint asked to be called again, where it said so.
    """

    def __init__(
        self, what: str, *, where: str | None = None, mend: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(what, where=where, mend=mend)
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.what, where=self.where, mend=self.mend, retry_after=self.retry_after), ()


class ModelRefusedError(UserError):
    """The model's endpoint refused the request itself; sending it again would be refused again."""


class ContextOverflowError(ModelRefusedError):
    """The request is longer than the model's context; `limit` and `tokens` where the endpoint named them."""

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        mend: str | None = None,
        limit: int | None = None,
        tokens: int | None = None,
    ) -> None:
        super().__init__(what, where=where, mend=mend)
        self.limit = limit
        self.tokens = tokens

    def __reduce__(self) -> tuple[object, ...]:
        rebuild = partial(type(self), self.what, where=self.where, mend=self.mend, limit=self.limit, tokens=self.tokens)
        return rebuild, ()


class ToolsRefusedError(ModelRefusedError):
    """The endpoint does not take tools for this model; a request without them may succeed."""


class SpentError(RemitError):
    """A budget does not allow the next call of a model.

    `ending`: how the subtask ends by this. `final`: nobody will allow more, so that it ends now.
    """

    ending = Ending.RUN_LIMIT
    final = True


class ToolError(RemitError):
    """A tool could not do what was asked; the agent reads `code`, `what` and `hint` as its observation.

    `retryable` says whether the same call may succeed later.
    """

    def __init__(self, code: str, what: str, *, retryable: bool = False, hint: str | None = None) -> None:
        super().__init__(what, mend=hint)
        self.code = code
        self.retryable = retryable

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.code, self.what, self.retryable, self.mend)


def _restore(code: str, what: str, retryable: bool, hint: str | None) -> ToolError:
    return ToolError(code, what, retryable=retryable, hint=hint)
