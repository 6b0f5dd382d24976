"""MCP servers for the tests: a real one over either transport, and bare ones that misbehave."""

import importlib.util
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.types import ASGIApp

from agents.tools.function import Tool, ToolResult
from agents.tools.mcp.declared import McpServer, Offer, SaidEffect
from agents.tools.mcp.servers import McpServers
from agents.tools.mcp.tool import mcp_tool
from orchestrator.ports.clock import Deadline

HERE = Path(__file__).parent
WEATHER = (sys.executable, str(HERE / "weather_server.py"))
BARE = """
import json, os, signal, subprocess, sys, time
TOOLS = [{"name": "work", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]
def send(message): sys.stdout.write(json.dumps({"jsonrpc": "2.0"} | message) + "\\n"); sys.stdout.flush()
def say(text): return {"content": [{"type": "text", "text": text}]}
def listed(): return {"tools": TOOLS}
def call(name, arguments): return say(f"{name} {arguments} in {os.getpid()}")
def ended(): pass
STARTED = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
STARTED["serverInfo"] = {"name": "bare", "version": "1"}
#
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if number is None: continue
    if method == "initialize": send({"id": number, "result": STARTED})
    elif method == "tools/list": send({"id": number, "result": listed()})
    elif method == "tools/call":
        done = call(message["params"]["name"], message["params"].get("arguments"))
        if done is not None: send({"id": number} | (done if "error" in done else {"result": done}))
    else: send({"id": number, "error": {"code": -32601, "message": "Method not found"}})
ended()
"""


@dataclass(frozen=True)
class Context:
    """What the tools are given: only the deadline matters here."""

    deadline: Deadline
    idempotency_key: str = "run/1.c1"

    def input(self, name: str) -> Path:
        """No input."""
        raise AssertionError(name)

    def input_names(self) -> Mapping[str, str]:
        """None."""
        return {}

    def observed(self, ref: str) -> Any:
        """Nothing."""
        raise AssertionError(ref)

    def files(self) -> Mapping[str, int]:
        """None."""
        return {}

    def file(self, name: str) -> Path:
        """No file."""
        raise AssertionError(name)

    def setting(self, name: str) -> str | None:
        """Nothing is set."""
        del name
        return None


@dataclass(frozen=True)
class Desk:
    """Servers, and a way to call their tools."""

    servers: McpServers

    def tool(self, server: McpServer, name: str, effect: SaidEffect = "unsafe", schema: Any = None) -> Tool:
        """The tool as a run would have pinned it: with what the server says now, unless a schema is given."""
        said = schema or self.servers.tools(server)[name].input_schema
        offer = Offer(name=name, description="…", arguments=said, effect=effect)
        return mcp_tool(server, offer, self.servers)

    def run(self, tool: Tool, seconds: float = 20.0, /, **arguments: Any) -> ToolResult:
        """Call the tool. Raises ToolError."""
        given = tool.arguments.model_validate(arguments)
        result = tool.run(given, Context(Deadline.after(seconds)))
        assert isinstance(result, ToolResult)
        return result


@pytest.fixture
def desk() -> Generator[Desk]:
    """Servers that are ended with the test."""
    with McpServers(os.environ | {"SECRET_OF_TEST": "hunter2"}) as servers:
        yield Desk(servers)


@pytest.fixture(scope="module")
def shared() -> Generator[Desk]:
    """The same for all tests of a module: a real server takes a while to start."""
    with McpServers(os.environ | {"SECRET_OF_TEST": "hunter2"}) as servers:
        yield Desk(servers)


@pytest.fixture(scope="session")
def weather() -> McpServer:
    """The real server over standard input and output."""
    return McpServer(name="weather", folder=str(HERE), command=WEATHER, env={"GREETING": "Hi ${SECRET_OF_TEST}"})


@pytest.fixture
def bare(tmp_path: Path) -> Callable[..., McpServer]:
    """Makes a server of a few lines, which starts in milliseconds; `change` is code that changes how it behaves."""

    def make(change: str = "", **more: Any) -> McpServer:
        script = tmp_path / "bare.py"
        script.write_text(BARE.replace("\n#\n", f"\n{change}\n"), "utf-8")
        return McpServer(name="bare", folder=str(tmp_path), command=(sys.executable, "-I", "-S", "bare.py"), **more)

    return make


@dataclass
class Web:
    """A web server in a thread of this process, which can be taken away and brought back on the same port."""

    app: Callable[[], ASGIApp]
    port: int = 0
    seen: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    @property
    def url(self) -> str:
        """Where MCP is spoken."""
        return f"http://127.0.0.1:{self.port}/mcp"

    @contextmanager
    def up(self) -> Generator[None]:
        """Serve for the block."""
        listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(self._noting(self.app()), log_level="critical", timeout_graceful_shutdown=1, ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 60
        while not server.started:
            assert time.monotonic() < deadline, "the web server did not start"
            time.sleep(0.005)
        try:
            yield
        finally:
            server.should_exit = True
            thread.join(20)
            listener.close()

    def _noting(self, app: ASGIApp) -> ASGIApp:
        async def noted(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                self.seen.append({name.decode(): value.decode() for name, value in scope["headers"]})
            await app(scope, receive, send)

        return noted


@pytest.fixture(scope="session")
def weather_app() -> Callable[..., ASGIApp]:
    """Makes the real server as a web application."""
    spec = importlib.util.spec_from_file_location("weather_server_for_tests", HERE / "weather_server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def make(**options: Any) -> ASGIApp:
        return module.made().streamable_http_app(**options)

    return make


@pytest.fixture
def web() -> Callable[[Callable[[], ASGIApp]], Web]:
    """Makes a web server of an application."""
    return Web
