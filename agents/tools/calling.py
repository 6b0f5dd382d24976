"""Calls a tool's functions; whatever they raise becomes a ToolError that an agent can read, never a traceback."""

import logging

from pydantic import BaseModel

from agents.errors import ToolError
from agents.tools.function import Ask, Happened, NotHappened, Outcome, Tool, ToolContext, ToolResult, Unknown
from orchestrator.errors import OutsideError

OPEN = frozenset({"timeout", "outside", "tool_failed", "tool_crashed", "out_of_memory"})
"""Codes of errors after which nobody knows whether a call took effect; all others say that it did not."""
_MOST_SAID = 400
_NOTHING = "Nothing was done. Check the arguments, or go on without it."
_log = logging.getLogger(__name__)


def called(tool: Tool, arguments: BaseModel, context: ToolContext) -> ToolResult | Ask:
    """What the tool returned. Raises ToolError."""
    if context.deadline.passed():
        raise no_time(tool)
    try:
        result: object = tool.run(arguments, context)
    except ToolError:
        raise
    except MemoryError as error:
        raise no_memory(tool, "there is") from error
    except OutsideError as error:
        raise ToolError("outside", str(error), retryable=True, hint="Try once more, then go on without it.") from error
    except (Exception, SystemExit) as error:
        _log.warning("the tool %s raised", tool.name, exc_info=True)
        raise _failed(tool, error) from error
    if isinstance(result, ToolResult | Ask):
        return result
    error = _no_result(tool.name, result)
    if tool.effect == "read":
        raise error
    return carried_out(tool, error)


def previewed(tool: Tool, arguments: BaseModel, context: ToolContext) -> ToolResult:
    """What the call would do, as the tool tells it. Raises ToolError."""
    assert tool.preview is not None
    try:
        result: object = tool.preview(arguments, context)
    except ToolError:
        raise
    except (Exception, SystemExit) as error:
        _log.warning("the preview of %s raised", tool.name, exc_info=True)
        raise ToolError("preview_failed", _said(f"the preview of {tool.name} failed", error), hint=_NOTHING) from error
    if not isinstance(result, ToolResult):
        raise _no_result(f"the preview of {tool.name}", result)
    return result


def verified(tool: Tool, arguments: BaseModel, context: ToolContext) -> Outcome:
    """Whether the call took effect, as the tool finds out; Unknown when it cannot."""
    if tool.verify is None:
        return Unknown()
    try:
        outcome: object = tool.verify(arguments, context)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever goes wrong, nothing was found out
        _log.warning("the verification of %s raised", tool.name, exc_info=True)
        return Unknown(_said("Looking after it failed", error))
    if not isinstance(outcome, Happened | NotHappened | Unknown):
        return Unknown(f"Looking after it failed: `verify` returned a `{type(outcome).__qualname__}`")
    return outcome


def carried_out(tool: Tool, error: ToolError, summary: str = "") -> ToolResult:
    """The result of a call whose effect has happened though its result is of no use.

    An error would invite the agent to do it again.
    """
    told = f"{tool.name} was carried out, but {error.what}. Do not repeat it. {summary}"
    return ToolResult(summary=told.strip())


def no_time(tool: Tool) -> ToolError:
    """What an agent reads when a call was not begun because its time was over."""
    return ToolError("no_time", f"there was no time left to run {tool.name}", hint="Answer with what is known.")


def _no_result(who: str, result: object) -> ToolError:
    what = f"{who} returned a `{type(result).__qualname__}` instead of a ToolResult"
    return ToolError("tool_failed", what, hint="The tool has to be mended by its author; go on without it.")


def _said(what: str, error: BaseException) -> str:
    said = " ".join(str(error).split())[:_MOST_SAID]
    return f"{what}: {type(error).__name__}" + (f": {said}" if said else "")


def _failed(tool: Tool, error: BaseException) -> ToolError:
    return ToolError("tool_failed", _said(f"{tool.name} failed", error), hint=after_failure(tool))


def no_memory(tool: Tool, limit: str) -> ToolError:
    """What an agent reads when a tool ran out of memory; `limit` completes `needed more memory than …`."""
    hint = "Ask for less at once: fewer rows or columns, a filter, one input instead of several."
    what = f"{tool.name} needed more memory than {limit} and was stopped"
    return ToolError("out_of_memory", what, hint=f"{hint} The same call fails again.")


def after_failure(tool: Tool) -> str:
    """What to do after a call of which nothing came back."""
    if tool.effect == "read":
        return "Check the arguments; if it fails again, go on without it or ask a person."
    return "It is not known whether it took effect: look before you repeat it, or ask a person."
