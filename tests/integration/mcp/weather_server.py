"""A real MCP server for the tests: `python weather_server.py` speaks on standard input and output."""

import asyncio
import os
from pathlib import Path

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import EmbeddedResource, TextContent, TextResourceContents, ToolAnnotations
from pydantic import BaseModel

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001f61738550000"
    "000049454e44ae426082"
)


class Forecast(BaseModel):
    """What is returned."""

    city: str
    days: list[int]


def made() -> MCPServer:
    """The server."""
    server = MCPServer("weather")
    together = asyncio.Barrier(16)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def get_forecast(city: str, days: int = 1) -> Forecast:
        """The forecast for a city."""
        return Forecast(city=city, days=list(range(days)))

    @server.tool(annotations=ToolAnnotations(idempotent_hint=True), structured_output=False)
    def set_alarm(level: int) -> str:
        """Set the alarm."""
        return f"The alarm stands at {level}."

    @server.tool(structured_output=False)
    def chart(city: str) -> list[object]:
        """Draw the weather of a city."""
        return [f"The weather of {city}.", Image(data=PIXEL, format="png")]

    @server.tool(structured_output=False)
    def report(city: str) -> list[EmbeddedResource | TextContent]:
        """Hand over a report."""
        contents = TextResourceContents(uri="weather://reports/today", text=f"Rain in {city}.")
        return [EmbeddedResource(resource=contents)]

    @server.tool()
    def fail(why: str) -> str:
        """Fail."""
        raise ToolError(why)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    def environment(name: str) -> str:
        """What a variable is."""
        return os.environ.get(name, "not set")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    async def meet(number: int) -> str:
        """Return when sixteen calls are here."""
        await together.wait()
        return f"{number} of 16 in {os.getpid()}"

    @server.tool(structured_output=False)
    async def wait(marker: str) -> str:
        """Wait for ever; write into the marker's file whether it was cancelled."""
        Path(marker).write_text("waiting", "utf-8")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            Path(marker).write_text("cancelled", "utf-8")
            raise
        return "waited"

    return server


if __name__ == "__main__":
    made().run()
