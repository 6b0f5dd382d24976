"""Calls a tool's function; whatever it raises becomes a ToolError that an agent can read, never a traceback."""

import logging

from pydantic import BaseModel

from agents.errors import ToolError
from agents.tools.function import Ask, Tool, ToolContext, ToolResult
from orchestrator.errors import OutsideError

_MOST_SAID = 400
_log = logging.getLogger(__name__)


def called(tool: Tool, arguments: BaseModel, context: ToolContext) -> ToolResult | Ask:
    """What the tool returned. Raises ToolError."""
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
    if not isinstance(result, ToolResult | Ask):
        what = f"{tool.name} returned a `{type(result).__qualname__}` instead of a ToolResult"
        raise ToolError("tool_failed", what, hint="The tool has to be mended by its author; go on without it.")
    return result


def _failed(tool: Tool, error: BaseException) -> ToolError:
    said = " ".join(str(error).split())[:_MOST_SAID]
    what = f"{tool.name} failed: {type(error).__name__}" + (f": {said}" if said else "")
    return ToolError("tool_failed", what, hint=after_failure(tool))


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
