"""A web server on this machine that answers as each test wants."""

import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agents.tools.local_context import LocalContext


@dataclass
class Site:
    """Pages by path; what was asked for is kept."""

    port: int = 0
    pages: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict[str, Any])
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list[tuple[str, Mapping[str, str]]])

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """The address of a page."""
        return f"http://{host}:{self.port}{path}"

    def page(self, path: str, body: bytes | str, kind: str = "text/html; charset=utf-8", **headers: str) -> str:
        """Serve a body under a path; returns its address."""
        content = body.encode() if isinstance(body, str) else body

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(int(headers.pop("status", "200")))
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **given}.items():
                request.send_header(name, value)
            request.end_headers()
            request.wfile.write(content)

        self.pages[path] = answer
        return self.url(path)

    def redirect(self, path: str, target: str, status: int = 302) -> str:
        """Redirect a path; returns its address."""

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            request.send_header("Location", target)
            request.send_header("Content-Length", "0")
            request.end_headers()

        self.pages[path] = answer
        return self.url(path)


@pytest.fixture
def site() -> Generator[Site]:
    """A web server; it stops at the end of the test."""
    made = Site()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            made.asked.append((self.path, dict(self.headers.items())))
            if path in made.pages:
                made.pages[path](self)
            else:
                self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name there
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    made.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def loopback(tmp_path: Any) -> LocalContext:
    """A context in which this machine may be reached."""
    return LocalContext(settings={"web_allow": "127.0.0.0/8", "cache": str(tmp_path / "cache")})
