"""Places are found by their names in any language, and all of them can be used."""

from zoneinfo import available_timezones

import pytest

from agents.errors import ToolError
from agents.teams.weather.places import place_named, places
from agents.teams.weather.tools import _WORDS  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Vienna", "Vienna"),
        ("wien", "Vienna"),
        ("  VIENNA, Austria ", "Vienna"),
        ("Munchen", "Munich"),
        ("北京", "Beijing"),
        ("São Paulo (Rio de Janeiro)", None),
        ("Reykjavík", "Reykjavik"),
    ],
)
def test_a_name(name: str, found: str | None) -> None:
    """Whatever its accents, case, language and the country behind it."""
    if found is None:
        with pytest.raises(ToolError):
            place_named(name)
    else:
        assert place_named(name).name == found


def test_a_misspelt_name_is_not_guessed() -> None:
    """The nearest names are offered; the agent chooses."""
    with pytest.raises(ToolError) as caught:
        place_named("Reykyavik")
    assert (caught.value.code, caught.value.mend) == ("unknown_place", "Perhaps Reykjavik.")


def test_a_name_that_is_near_to_none() -> None:
    """Says what to do instead."""
    with pytest.raises(ToolError, match="the weather in `Xyzzyqq` is not known") as caught:
        place_named("Xyzzyqq")
    assert caught.value.mend == "Ask for a larger city nearby, or say that it is not known."


def test_every_place_is_whole() -> None:
    """Coordinates on the globe, a time zone that exists, a code with words, no name for two places."""
    names: list[str] = []
    for place in places():
        assert -90 <= place.latitude <= 90
        assert -180 <= place.longitude <= 180
        assert place.timezone in available_timezones()
        assert place.recorded.code in _WORDS
        assert 0 <= place.recorded.humidity <= 100
        names += (name.casefold() for name in (place.name, *place.also))
    assert len(set(names)) == len(names)
