"""Makes the connection that a server's declaration asks for."""

from collections.abc import Mapping

from agents.tools.mcp.connection import Connection
from agents.tools.mcp.declared import McpServer
from agents.tools.mcp.http import HttpLink
from agents.tools.mcp.stdio import StdioLink


def connection_to(server: McpServer, variables: Mapping[str, str]) -> Connection:
    """The connection; nothing is started yet. Raises TeamError for a variable that is not set."""
    link = StdioLink(server, variables) if server.command else HttpLink(server, variables)
    return Connection(server, link)
