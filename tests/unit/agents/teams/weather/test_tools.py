"""The tool `weather`: recorded readings without an endpoint, a service's answer with one."""

import json
import threading
from collections.abc import Callable, Generator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from agents.errors import ToolError
from agents.teams.weather.tools import weather
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext

ANSWER = {
    "current": {
        "time": "2026-05-01T14:00",
        "temperature_2m": 21.4,
        "relative_humidity_2m": 40,
        "wind_speed_10m": 7.25,
        "weather_code": 45,
    }
}


class Service:
    """A weather service on this machine that gives one answer."""

    def __init__(self, status: int, body: bytes) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # named so by the base
                del format, args

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def context(self) -> LocalContext:
        """A context in which this service is the configured one."""
        return LocalContext(settings={"weather_url": f"http://127.0.0.1:{self.server.server_port}/v1/forecast?key=k"})

    def close(self) -> None:
        """End it."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def service() -> Generator[Callable[..., Service]]:
    """Starts weather services."""
    started: list[Service] = []

    def start(body: bytes = json.dumps(ANSWER).encode(), status: int = 200) -> Service:
        started.append(Service(status, body))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_recorded_readings() -> None:
    """Without an endpoint the bundled readings are told, and called what they are."""
    result = weather.function("Wien", LocalContext())
    assert isinstance(result, ToolResult)
    assert result.data == {
        "city": "Vienna",
        "country": "AT",
        "temperature_celsius": Decimal("9.4"),
        "sky": "partly cloudy",
        "humidity_percent": Decimal(65),
        "wind_kmh": Decimal("18.9"),
        "time": "2026-03-15 12:00 local time",
        "timezone": "Europe/Vienna",
        "source": "a recorded reading, not today's weather",
    }
    assert "Vienna: 9.4 °C, partly cloudy, 65 % humidity, 18.9 km/h wind" in result.summary


def test_a_weather_service(service: Callable[..., Service]) -> None:
    """With an endpoint it is asked for the place, and its figures are told exactly."""
    there = service()
    result = weather.function("Tokio", there.context)
    assert isinstance(result, ToolResult)
    assert (result.data["temperature_celsius"], result.data["sky"]) == (Decimal("21.4"), "fog")
    assert (result.data["time"], result.data["source"]) == ("2026-05-01T14:00", "from the weather service")
    (path,) = there.asked
    assert {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()} == {
        "key": "k",
        "latitude": "35.68",
        "longitude": "139.69",
        "timezone": "Asia/Tokyo",
        "current": "temperature_2m,relative_humidity_2m,wind_speed_10m,weather_code",
    }


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"current": {"temperature_2m": "warm"}}', b"null"])
def test_a_service_that_answers_something_else(service: Callable[..., Service], body: bytes) -> None:
    """Is an error that the agent can read."""
    with pytest.raises(ToolError) as caught:
        weather.function("Vienna", service(body).context)
    assert (caught.value.code, caught.value.retryable) == ("unreadable", True)


def test_a_service_that_is_down(service: Callable[..., Service]) -> None:
    """Worth another try."""
    with pytest.raises(ToolError) as caught:
        weather.function("Vienna", service(b"", 503).context)
    assert (caught.value.code, caught.value.retryable) == ("http_error", True)
