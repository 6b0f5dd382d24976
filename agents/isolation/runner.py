"""Runs heavy tools in child processes."""

from pydantic import BaseModel

from agents.tools.function import Ask, Tool, ToolContext, ToolResult
from orchestrator.ports.clock import Deadline


class Isolation:
    """Runs tools in children; one for a whole worker process, used from all its threads."""

    def run(self, tool: Tool, arguments: BaseModel, context: ToolContext, deadline: Deadline) -> ToolResult | Ask:
        """Run the tool and return its result. Raises ToolError."""
        _ = deadline
        return tool.run(arguments, context)

    def close(self) -> None:
        """End all children."""
