"""Calls to a real server over standard input and output: every kind of result, under the contract of every tool."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agents.errors import ToolError
from agents.tools.function import ToolResult
from agents.tools.mcp.declared import McpServer


def test_lists_what_there_is(shared: Any, weather: McpServer) -> None:
    """Names, schemas and hints come from the server."""
    tools = shared.servers.tools(weather)
    assert {"get_forecast", "set_alarm", "chart", "fail"} < set(tools)
    assert tools["get_forecast"].input_schema["required"] == ["city"]
    assert tools["get_forecast"].annotations.read_only_hint is True


def test_structured_output_is_the_data(shared: Any, weather: McpServer) -> None:
    """The text that repeats it is left out."""
    forecast = shared.tool(weather, "get_forecast", "read")
    result = shared.run(forecast, city="Köln", days=3)
    assert forecast.name == "weather.get_forecast"
    assert result == ToolResult(
        'weather.get_forecast returned {"city": "Köln", "days": [0, 1, 2]}', {"city": "Köln", "days": [0, 1, 2]}
    )


def test_a_text_is_a_text(shared: Any, weather: McpServer) -> None:
    """Summary and data."""
    result = shared.run(shared.tool(weather, "set_alarm", "idempotent"), level=2)
    assert result.data == "The alarm stands at 2."
    assert result.summary == "weather.set_alarm returned The alarm stands at 2."


def test_an_image_is_a_file(shared: Any, weather: McpServer) -> None:
    """Its bytes go to the store under a name with the right ending, the text beside it stays."""
    result = shared.run(shared.tool(weather, "chart"), city="Köln")
    assert result.data == "The weather of Köln."
    assert list(result.artifacts) == ["chart.png"]
    assert result.artifacts["chart.png"].startswith(b"\x89PNG\r\n")
    assert result.artifacts["chart.png"].endswith(b"IEND\xaeB`\x82")
    assert result.summary == "weather.chart returned 1 file: chart.png; The weather of Köln."


def test_a_resource_is_its_text_and_where_it_is(shared: Any, weather: McpServer) -> None:
    """As data that can be cited."""
    result = shared.run(shared.tool(weather, "report"), city="Köln")
    assert result.data == {"uri": "weather://reports/today", "text": "Rain in Köln."}


def test_an_error_of_the_tool_is_an_error(shared: Any, weather: McpServer) -> None:
    """The agent reads what the server says; the server has answered, so nothing is open."""
    with pytest.raises(ToolError) as caught:
        shared.run(shared.tool(weather, "fail"), why="the sky is closed")
    assert caught.value.code == "server_error"
    assert "weather.fail failed" in caught.value.what
    assert "the sky is closed" in caught.value.what
    assert caught.value.retryable is False


def test_a_tool_that_the_server_does_not_have(shared: Any, weather: McpServer) -> None:
    """What was pinned and is not there any more is not called."""
    gone = shared.tool(weather, "tornado", schema={"type": "object"})
    with pytest.raises(ToolError) as caught:
        shared.run(gone)
    assert caught.value.code == "tool_changed"
    assert caught.value.what == "weather.tornado was not run: the server `weather` does not offer it any more"


@pytest.mark.parametrize(
    ("effect", "schema", "why"),
    [
        ("unsafe", {"type": "object"}, "takes other arguments for it than when this run was opened"),
        ("read", None, "does not say any more that it is `read`"),
    ],
)
def test_a_tool_that_has_changed_is_not_called(
    shared: Any, weather: McpServer, effect: Any, schema: Any, why: str
) -> None:
    """Other arguments, or an effect that the server does not own to any more."""
    with pytest.raises(ToolError, match=why) as caught:
        shared.run(shared.tool(weather, "set_alarm", effect, schema), level=1)
    assert caught.value.code == "tool_changed"
    assert caught.value.retryable is False


def test_a_server_sees_only_its_own_variables(shared: Any, weather: McpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are declared, with the worker's put in, and what every program needs; no other secret of ours."""
    asked = shared.tool(weather, "environment", "read")
    assert shared.run(asked, name="GREETING").data == "Hi hunter2"
    assert shared.run(asked, name="SECRET_OF_TEST").data == "not set"
    assert shared.run(asked, name="PATH").data != "not set"


def test_sixteen_threads_share_one_server(shared: Any, weather: McpServer) -> None:
    """All calls are under way at the same time, in one process, and each gets its own answer."""
    meet = shared.tool(weather, "meet", "read")

    def number(one: int) -> str:
        return shared.run(meet, number=one).data

    with ThreadPoolExecutor(16) as pool:
        said = list(pool.map(number, range(16)))
    assert [text.split(" of ")[0] for text in said] == [str(one) for one in range(16)]
    assert len({text.split(" in ")[1] for text in said}) == 1


def test_a_call_that_is_too_late_is_cancelled_at_the_server(
    shared: Any, weather: McpServer, tmp_path: Path, eventually: Any
) -> None:
    """The agent is told at its deadline, the server by MCP's own cancellation; other calls go on."""
    marker = tmp_path / "marker"
    wait, forecast = shared.tool(weather, "wait"), shared.tool(weather, "get_forecast", "read")
    with pytest.raises(ToolError) as caught:
        shared.run(wait, 0.3, marker=str(marker))
    assert caught.value.code == "timeout"
    assert caught.value.what.startswith("weather.wait: it did not answer within 0.")
    assert caught.value.retryable is False  # nobody knows whether it took effect
    eventually(lambda: marker.read_text("utf-8") == "cancelled")
    assert shared.run(forecast, city="Bonn").data == {"city": "Bonn", "days": [0]}


def test_without_time_nothing_is_sent(shared: Any, weather: McpServer, tmp_path: Path) -> None:
    """A call that cannot be answered in time any more does not begin."""
    wait = shared.tool(weather, "wait")
    with pytest.raises(ToolError) as caught:
        shared.run(wait, 0.0, marker=str(tmp_path / "marker"))
    assert caught.value.code == "server_unavailable"
    assert not (tmp_path / "marker").exists()


def test_the_loop_has_a_thread_of_its_own(shared: Any, weather: McpServer) -> None:
    """One, whatever the number of calls."""
    shared.run(shared.tool(weather, "get_forecast", "read"), city="Bonn")
    assert [thread.name for thread in threading.enumerate()].count("mcp") == 1
