"""The clock tells the present time, in any zone."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from agents.errors import ToolError
from agents.tools.builtin.clock import clock
from agents.tools.function import ToolResult


def test_tells_the_present_time() -> None:
    """In UTC and in the zone, the same moment."""
    before = datetime.now(UTC).replace(microsecond=0)
    result = clock.function(timezone="Asia/Shanghai")
    after = datetime.now(UTC)
    assert isinstance(result, ToolResult)
    utc, local = (datetime.fromisoformat(result.data[name]) for name in ("utc", "local"))
    assert before <= utc <= after
    assert local == utc
    assert local.utcoffset() is not None
    assert str(local.utcoffset()) == "8:00:00"
    assert result.data["date"] == local.date()
    assert result.data["weekday"] in result.summary


def test_takes_utc_by_default() -> None:
    """No argument is needed."""
    result = clock.function(**clock.arguments().model_dump())
    assert isinstance(result, ToolResult)
    assert result.summary.endswith("+00:00 in UTC.")


@pytest.mark.parametrize(
    ("name", "zone", "difference"),
    [
        ("asia/shanghai ", "Asia/Shanghai", "+08:00"),
        ("Asia/Ho Chi Minh", "Asia/Ho_Chi_Minh", "+07:00"),
        ("UTC+8", "UTC+08:00", "+08:00"),
        ("+05:30", "UTC+05:30", "+05:30"),
        ("GMT −3", "UTC-03:00", "-03:00"),
        ("utc", "UTC", "+00:00"),
    ],
)
def test_takes_a_zone_as_people_write_it(name: str, zone: str, difference: str) -> None:
    """Whatever the case; a difference counts as people mean it: UTC+8 is east of Greenwich."""
    result = clock.function(timezone=name)
    assert isinstance(result, ToolResult)
    assert result.data["timezone"] == zone
    assert result.data["local"].endswith(difference)


@pytest.mark.parametrize("name", ["Vienna", "europe/viena", "../../etc/passwd", "", "北京", "UTC+25"])
def test_names_the_nearest_zones(name: str) -> None:
    """A zone that does not exist is an error with those that come near; nothing is read from a path."""
    with pytest.raises(ToolError) as caught:
        clock.function(timezone=name)
    assert caught.value.code == "unknown_timezone"
    assert "such as Asia/Shanghai" in str(caught.value.mend)
    if "ien" in name:
        assert "Europe/Vienna" in str(caught.value.mend)


def test_refuses_a_zone_that_is_no_name() -> None:
    """A text of any length is not held against every zone there is."""
    with pytest.raises(ValidationError):
        clock.arguments(timezone="a" * 101)
