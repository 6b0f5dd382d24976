"""The tool `weather`: the present weather of a city, from a weather service or from recorded readings."""

from typing import Annotated

from pydantic import Field

from agents.teams.weather.forecast import asked
from agents.teams.weather.places import place_named
from agents.tools.function import ToolContext, ToolResult, tool

_WORDS = {
    0: "clear sky",
    1: "mainly clear",
    2: "partly cloudy",
    3: "overcast",
    45: "fog",
    48: "freezing fog",
    51: "light drizzle",
    53: "drizzle",
    55: "dense drizzle",
    61: "light rain",
    63: "rain",
    65: "heavy rain",
    66: "light freezing rain",
    67: "freezing rain",
    71: "light snow",
    73: "snow",
    75: "heavy snow",
    77: "snow grains",
    80: "light showers",
    81: "showers",
    82: "violent showers",
    85: "light snow showers",
    86: "snow showers",
    95: "thunderstorm",
    96: "thunderstorm with hail",
    99: "thunderstorm with heavy hail",
}
"""The WMO's codes of present weather."""


@tool(
    "weather",
    effect="read",
    use_when="the present weather of a city is asked for",
    not_when="the weather of the past or of coming days is asked for, or no city is named",
    seconds=20.0,
)
def weather(
    city: Annotated[str, Field(min_length=1, max_length=120, description="One city.", examples=["Vienna", "北京"])],
    context: ToolContext,
) -> ToolResult:
    """Tell the weather in a city: degrees Celsius, per cent of humidity, km/h of wind, and what the sky looks like."""
    place = place_named(city)
    endpoint = context.setting("weather_url")
    reading = asked(endpoint, place, context.deadline) if endpoint else place.recorded
    sky = _WORDS.get(reading.code, f"code {reading.code}")
    source = "from the weather service" if endpoint else "a recorded reading, not today's weather"
    said = f"{place.name}: {reading.temperature} °C, {sky}, {reading.humidity} % humidity, {reading.wind} km/h wind"
    return ToolResult(
        summary=f"{said} ({reading.time}, {source}).",
        data={
            "city": place.name,
            "country": place.country,
            "temperature_celsius": reading.temperature,
            "sky": sky,
            "humidity_percent": reading.humidity,
            "wind_kmh": reading.wind,
            "time": reading.time,
            "timezone": place.timezone,
            "source": source,
        },
    )
