"""Where a tool stands, so that a child process can find it: a name at the top level of a module it can import."""

import sys

from agents.tools.function import Tool
from orchestrator.errors import TeamError


def address_of(tool: Tool) -> str:
    """`module:attribute` of the tool. Raises TeamError when another process could not find it there."""
    module, name = tool.function.__module__, tool.function.__qualname__
    where = f"tool `{tool.name}`"
    mend = "Define the function at the top level of a module that every worker can import, and keep its name."
    if module == "__main__" or "<" in name or "." in name:
        raise TeamError(f"`{module}:{name}` cannot be found from another process", where=where, mend=mend)
    if getattr(sys.modules.get(module), name, None) is not tool:
        raise TeamError(f"`{module}:{name}` is not this tool", where=where, mend=mend)
    return f"{module}:{name}"
