"""How a call to a server can fail, as far as it matters to whoever has to decide about trying again."""

from agents.errors import ToolError
from agents.tools.calling import after_failure
from agents.tools.function import Tool


class CallFailedError(Exception):
    """The root; the message says in one clause what happened."""


class NotRunError(CallFailedError):
    """The server certainly did not run the call: it was never sent, or turned away."""


class SessionEndedError(NotRunError):
    """The server does not know our session any more; in a new one it will run the call."""


class StaleListingError(NotRunError):
    """The server wants its tools to be listed again before it runs the call."""


class ChangedError(CallFailedError):
    """The tool is not what it was when the run was opened; the call was not sent."""


class UnansweredError(CallFailedError):
    """The call was sent and no answer came back: whether it took effect is not known."""

    code = "tool_crashed"


class TimedOutError(UnansweredError):
    """The call was cancelled at its deadline."""

    code = "timeout"


class BrokenError(UnansweredError):
    """The server says that something went wrong inside it; it may not know itself what was done."""

    code = "tool_failed"


class RefusedError(CallFailedError):
    """The server answered with an error of the protocol."""


class BadArgumentsError(RefusedError):
    """The server does not take the arguments."""


def as_tool_error(tool: Tool, error: CallFailedError) -> ToolError:
    """What the agent reads."""
    said = str(error)
    match error:
        case NotRunError():
            hint = "Try once more a little later, then go on without it."
            return ToolError("server_unavailable", f"{tool.name} was not run: {said}", retryable=True, hint=hint)
        case ChangedError():
            hint = "It will not come back in this run: go on without it, or ask a person."
            return ToolError("tool_changed", f"{tool.name} was not run: {said}", hint=hint)
        case UnansweredError():
            # An unsafe call that may have happened must not look like one that may simply be repeated.
            safe = tool.effect != "unsafe"
            return ToolError(error.code, f"{tool.name}: {said}", retryable=safe, hint=after_failure(tool))
        case BadArgumentsError():
            return ToolError("invalid_arguments", f"{tool.name} was not run: {said}", hint="Mend the arguments.")
        case _:
            return server_says(tool, said)


def server_says(tool: Tool, said: str) -> ToolError:
    """An error with which the server itself answered: unlike silence, that is a result."""
    hint = "Mend the call if the message says how; else go on without it, or ask a person."
    return ToolError("server_error", f"{tool.name} failed: {said}", hint=hint)
