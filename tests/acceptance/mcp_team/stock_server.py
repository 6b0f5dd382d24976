"""The MCP server of the shop team, written with the library's own server side."""

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("stock")
pieces = {"chair": 12}


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def count(article: str) -> dict[str, str | int]:
    """How many pieces of an article there are."""
    return {"article": article, "pieces": pieces[article]}


@server.tool()
def sell(article: str, quantity: int) -> dict[str, str | int]:
    """Sell some pieces of an article."""
    pieces[article] -= quantity
    return {"article": article, "pieces": pieces[article]}


server.run()
