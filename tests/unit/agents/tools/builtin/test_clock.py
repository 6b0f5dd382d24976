"""The clock tells the present time, in any zone."""

from datetime import UTC, datetime

import pytest

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


@pytest.mark.parametrize("name", ["Vienna", "europe/vienna ", "../../etc/passwd", ""])
def test_names_the_nearest_zones(name: str) -> None:
    """A zone that does not exist is an error with those that come near; nothing is read from a path."""
    with pytest.raises(ToolError) as caught:
        clock.function(timezone=name)
    assert caught.value.code == "unknown_timezone"
    if "ienna" in name:
        assert "Europe/Vienna" in str(caught.value.mend)
