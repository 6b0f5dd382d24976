"""A server's tool as a tool of ours: the same contract, errors and deadline as any other."""

from typing import Any

from agents.errors import ToolError
from agents.tools.function import Tool, ToolContext, ToolResult
from agents.tools.mcp.declared import McpServer, Offer
from agents.tools.mcp.failures import CallFailedError, as_tool_error
from agents.tools.mcp.references import tool_name
from agents.tools.mcp.servers import McpServers
from orchestrator.errors import TeamError


def mcp_tool(server: McpServer, offer: Offer, servers: McpServers) -> Tool:
    """The tool as it was offered; its server is started with the first call."""
    from agents.tools.mcp.schemas import arguments_model  # noqa: PLC0415  # only who has such tools pays for it

    name = tool_name(server.name, offer.name)
    call = _ServerCall(server, offer, servers)
    tool = Tool(
        name=name,
        description=offer.description,
        effect=offer.effect,
        arguments=arguments_model(name, offer.arguments),
        function=call.run,
        takes_context=True,
        seconds=server.seconds,
        isolated=False,
    )
    call.tool = tool
    return tool


class _ServerCall:
    """What the tool does when it is called."""

    tool: Tool

    def __init__(self, server: McpServer, offer: Offer, servers: McpServers) -> None:
        self._server = server
        self._offer = offer
        self._servers = servers

    def run(self, root: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call the server. Raises ToolError."""
        from agents.tools.mcp.results import result_of  # noqa: PLC0415  # imports the client, as the call itself does

        try:
            answer = self._servers.call(self._server, self._offer, root, context.deadline)
        except CallFailedError as error:
            raise as_tool_error(self.tool, error) from error
        except TeamError as error:
            what = f"{self.tool.name} was not run: {error}"
            raise ToolError("server_unavailable", what, hint="Go on without it, or ask a person.") from error
        return result_of(self.tool, answer)
