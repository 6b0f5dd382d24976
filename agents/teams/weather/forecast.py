"""Asks a weather service in the form of Open-Meteo for the present weather of a place."""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from agents.errors import ToolError
from agents.teams.weather.places import Place, Reading
from agents.tools.builtin.web.getting import get
from agents.tools.builtin.web.reach import Reach
from orchestrator.ports.clock import Deadline

_FIELDS = ("temperature_2m", "relative_humidity_2m", "wind_speed_10m", "weather_code")


def asked(endpoint: str, place: Place, deadline: Deadline) -> Reading:
    """What the service says now. Raises ToolError."""
    parameters = {
        "latitude": place.latitude,
        "longitude": place.longitude,
        "timezone": place.timezone,
        "current": ",".join(_FIELDS),
    }
    # The operator set the endpoint: it may be reached wherever it is.
    host = (urlsplit(endpoint).hostname or "").casefold()
    joint = "&" if "?" in endpoint else "?"
    got = get(f"{endpoint}{joint}{urlencode(parameters)}", Reach(hosts=frozenset({host})), deadline)
    try:
        return _reading(json.loads(got.body, parse_float=Decimal))
    except (ValueError, KeyError, TypeError, InvalidOperation) as error:
        what = f"the weather service at {host} answered something else than the weather"
        raise ToolError("unreadable", what, retryable=True, hint="Try once more, then say so.") from error


def _reading(answer: object) -> Reading:
    current = cast("Mapping[str, Any]", cast("Mapping[str, Any]", answer)["current"])
    temperature, humidity, wind, code = (current[name] for name in _FIELDS)
    return Reading(
        Decimal(str(temperature)), Decimal(str(humidity)), Decimal(str(wind)), int(code), str(current["time"])
    )
