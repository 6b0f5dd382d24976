"""The places whose weather is known, and the one that a name means."""

import csv
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files

from rapidfuzz import fuzz, process

from agents.errors import ToolError

RECORDED = "2026-03-15 12:00 local time"
"""When the readings in `places.csv` were recorded."""
_NEAR = 75


@dataclass(frozen=True, slots=True)
class Reading:
    """The weather at one moment. Degrees Celsius, per cent, km/h, and the WMO's code of present weather."""

    temperature: Decimal
    humidity: Decimal
    wind: Decimal
    code: int
    time: str


@dataclass(frozen=True, slots=True)
class Place:
    """A city; `recorded` is the reading that stands in when no endpoint is configured."""

    name: str
    also: tuple[str, ...]
    country: str
    latitude: Decimal
    longitude: Decimal
    timezone: str
    recorded: Reading


def place_named(name: str) -> Place:
    """The place of this name in any of its languages, `Vienna, Austria` too. Raises ToolError."""
    known = _by_name()
    for candidate in (name, name.split(",", 1)[0], name.split("(", 1)[0]):
        if found := known.get(_folded(candidate)):
            return found
    near = process.extract(_folded(name), list(known), scorer=fuzz.WRatio, limit=3, score_cutoff=_NEAR)
    names = list(dict.fromkeys(known[found].name for found, _, _ in near))
    hint = f"Perhaps {' or '.join(names)}." if names else "Ask for a larger city nearby, or say that it is not known."
    raise ToolError("unknown_place", f"the weather in `{name[:80]}` is not known", hint=hint)


@cache
def _by_name() -> dict[str, Place]:
    return {_folded(name): place for place in places() for name in (place.name, *place.also)}


@cache
def places() -> tuple[Place, ...]:
    """All of them, by name."""
    text = files(__package__ or "").joinpath("places.csv").read_text("utf-8")
    return tuple(_place(row) for row in csv.DictReader(text.splitlines()))


def _place(row: dict[str, str]) -> Place:
    return Place(
        name=row["name"],
        also=tuple(_given(row["also"].split("|"))),
        country=row["country"],
        latitude=Decimal(row["latitude"]),
        longitude=Decimal(row["longitude"]),
        timezone=row["timezone"],
        recorded=Reading(
            Decimal(row["temperature"]), Decimal(row["humidity"]), Decimal(row["wind"]), int(row["code"]), RECORDED
        ),
    )


def _given(names: Iterable[str]) -> Iterable[str]:
    return (name for name in names if name)


def _folded(name: str) -> str:
    """Without accents, case and outer space: `Zürich` is found as `zurich`, `München` as `munchen`."""
    apart = unicodedata.normalize("NFKD", name)
    return " ".join("".join(sign for sign in apart if not unicodedata.combining(sign)).casefold().split())
