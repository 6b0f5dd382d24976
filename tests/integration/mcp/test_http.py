"""Servers at an address: the same calls over streamable HTTP, and what goes wrong below MCP."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from agents.errors import ToolError
from agents.tools.mcp.declared import McpServer
from agents.tools.mcp.failures import NotRunError


def at(url: str, **more: Any) -> McpServer:
    """A declared server."""
    return McpServer(name="far", folder="", url=url, **more)


def answering(answer: Callable[[dict[str, Any], Request], Response]) -> Callable[[], Starlette]:
    """A web application that lists one tool, by the rules of 2025, and answers calls of it with `answer`."""

    async def mcp(request: Request) -> Response:
        if request.method != "POST":
            return PlainTextResponse("no", 405)
        message = await request.json()
        number, method = message.get("id"), message["method"]
        if number is None:
            return Response(status_code=202)
        if method == "initialize":
            known = {"capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}
            return said(number, known | {"protocolVersion": "2025-06-18"}, {"mcp-session-id": "s1"})
        if method == "tools/list":
            return said(number, {"tools": [{"name": "work", "inputSchema": {"type": "object"}}]})
        if method == "tools/call":
            return answer(message, request)
        missing = {"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "Method not found"}}
        return Response(json.dumps(missing), media_type="application/json")

    return lambda: Starlette(routes=[Route("/mcp", mcp, methods=["GET", "POST", "DELETE"])])


def said(number: Any, result: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """A JSON-RPC result."""
    body = json.dumps({"jsonrpc": "2.0", "id": number, "result": result})
    return Response(body, media_type="application/json", headers=headers)


def text(value: str) -> dict[str, Any]:
    """A tool's result."""
    return {"content": [{"type": "text", "text": value}]}


@pytest.mark.parametrize("options", [{}, {"json_response": True}, {"stateless_http": True}])
def test_calls_over_http(desk: Any, web: Any, weather_app: Any, options: dict[str, Any]) -> None:
    """Every way in which the library's own server answers; each request bears the declared header."""
    site = web(lambda: weather_app(**options))
    with site.up():
        server = at(site.url, headers={"X-Team": "weather/${SECRET_OF_TEST}"})
        result = desk.run(desk.tool(server, "get_forecast", "read"), city="Köln")
        picture = desk.run(desk.tool(server, "chart"), city="Köln")
        desk.servers.close()
    assert result.data == {"city": "Köln", "days": [0]}
    assert list(picture.artifacts) == ["chart.png"]
    assert {headers.get("x-team") for headers in site.seen} == {"weather/hunter2"}


def test_an_address_at_which_nobody_is(desk: Any, web: Any, weather_app: Any) -> None:
    """The reason is told, and a call was certainly not run."""
    site = web(weather_app)
    with site.up():
        server = at(site.url)
        forecast = desk.tool(server, "get_forecast", "read")
        assert desk.run(forecast, city="Bonn").data["city"] == "Bonn"
    with pytest.raises(ToolError) as caught:
        desk.run(forecast, city="Bonn")
    assert caught.value.code == "server_unavailable"
    assert caught.value.what.startswith("far.get_forecast was not run: it cannot be reached: ConnectError: ")
    with site.up():
        assert desk.run(forecast, city="Bonn").data["city"] == "Bonn"
    with pytest.raises(NotRunError, match="the server `far`: it cannot be reached: ConnectError: "):
        desk.servers.tools(at(site.url + "/other"))


@pytest.mark.parametrize(
    ("status", "code", "why"),
    [
        (401, "server_unavailable", "far.work was not run: it answered HTTP 401 Unauthorized"),
        (429, "server_unavailable", "far.work was not run: it answered HTTP 429 Too Many Requests"),
        (500, "tool_crashed", "far.work: it answered HTTP 500 Internal Server Error"),
        (502, "tool_crashed", "far.work: it answered HTTP 502 Bad Gateway"),
    ],
)
def test_what_a_status_says_of_the_call(desk: Any, web: Any, status: int, code: str, why: str) -> None:
    """Turned away: it was not run. Broken behind the door: nobody knows."""
    site = web(answering(lambda _message, _request: PlainTextResponse("<html>", status)))
    with site.up():
        with pytest.raises(ToolError) as caught:
            desk.run(desk.tool(at(site.url), "work"))
        desk.servers.close()
    assert (caught.value.code, caught.value.what) == (code, why)


@pytest.mark.parametrize("status", [404, 400])
def test_a_session_that_has_ended_is_opened_again(desk: Any, web: Any, status: int) -> None:
    """The server turned the call away, so it is sent once more, in a new session."""
    calls: list[Any] = []

    def answer(message: dict[str, Any], _request: Request) -> Response:
        calls.append(message["params"])
        if len(calls) == 2:
            return PlainTextResponse("Bad Request: no such session", status)
        return said(message["id"], text(f"call {len(calls)}"))

    site = web(answering(answer))
    with site.up():
        work = desk.tool(at(site.url), "work")
        assert desk.run(work).data == "call 1"
        assert desk.run(work).data == "call 3"
        desk.servers.close()
    assert len([one for one in site.seen if "mcp-session-id" not in one]) >= 2


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_a_call_is_not_sent_again_for_any_other_reason(desk: Any, web: Any, kind: str) -> None:
    """An answer that is cut off leaves the call open; the next call goes its own way."""
    calls: list[Any] = []

    async def cut(_scope: Any, _receive: Any, send: Any) -> None:
        headers = [(b"content-type", kind.encode()), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'data: {"jsonrpc"', "more_body": True})
        raise ConnectionResetError

    def answer(message: dict[str, Any], _request: Request) -> Any:
        calls.append(message)
        return cut if len(calls) == 1 else said(message["id"], text(f"call {len(calls)}"))

    site = web(answering(answer))
    with site.up():
        work = desk.tool(at(site.url), "work")
        with pytest.raises(ToolError) as caught:
            desk.run(work)
        assert caught.value.code == "tool_crashed"
        assert desk.run(work).data == "call 2"
        desk.servers.close()


def test_an_error_of_the_protocol(desk: Any, web: Any) -> None:
    """Arguments that the server does not take are the agent's to mend; a broken server is not."""
    codes = iter([(-32602, "no such town"), (-32603, "division by zero"), (-32050, "not today")])

    def answer(message: dict[str, Any], _request: Request) -> Response:
        code, why = next(codes)
        error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": why}}
        return Response(json.dumps(error), 400, media_type="application/json")

    site = web(answering(answer))
    found: list[tuple[str, str]] = []
    with site.up():
        work = desk.tool(at(site.url), "work")
        for _ in range(3):
            with pytest.raises(ToolError) as caught:
                desk.run(work)
            found.append((caught.value.code, caught.value.what))
        desk.servers.close()
    assert found == [
        ("invalid_arguments", "far.work was not run: no such town"),
        ("tool_failed", "far.work: the server broke down over it: division by zero"),
        ("server_error", "far.work failed: not today"),
    ]


def test_a_redirect_to_elsewhere_is_not_followed(desk: Any, web: Any) -> None:
    """Headers with a key go to the declared address only."""

    async def away(_request: Request) -> Response:
        return RedirectResponse("http://127.0.0.1:9/mcp", 307)

    site = web(lambda: Starlette(routes=[Route("/mcp", away, methods=["GET", "POST"])]))
    with site.up(), pytest.raises(NotRunError, match=r"Redirect to http://127\.0\.0\.1:9/mcp not followed"):
        desk.servers.tools(at(site.url))


def test_a_site_that_does_not_speak_mcp(desk: Any, web: Any) -> None:
    """A web page is no server."""

    async def page(_request: Request) -> Response:
        return PlainTextResponse("<h1>Welcome</h1>", media_type="text/html")

    site = web(lambda: Starlette(routes=[Route("/mcp", page, methods=["GET", "POST"])]))
    with site.up(), pytest.raises(NotRunError, match="it cannot be used: Unexpected content type: text/html"):
        desk.servers.tools(at(site.url))


def test_a_large_result(desk: Any, web: Any) -> None:
    """Beyond what the client takes by itself in one event."""
    site = web(answering(lambda message, _request: _event(message["id"], "x" * 3_000_000)))
    with site.up():
        assert len(desk.run(desk.tool(at(site.url), "work")).data) == 3_000_000
        desk.servers.close()


def _event(number: Any, value: str) -> Response:
    body = json.dumps({"jsonrpc": "2.0", "id": number, "result": text(value)})
    return Response(f"event: message\ndata: {body}\n\n", media_type="text/event-stream")
