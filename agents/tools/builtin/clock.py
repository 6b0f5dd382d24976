"""The tool `clock`: tells the present time, which a model cannot know."""

from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field
from rapidfuzz import process

from agents.errors import ToolError
from agents.tools.function import ToolResult, tool


@tool(
    "clock",
    effect="read",
    use_when="today's date or the present time matters",
    not_when="a date stands in the data",
    seconds=5,
)
def clock(
    timezone: Annotated[str, Field(description="A zone of the IANA list.", examples=["Europe/Vienna"])] = "UTC",
) -> ToolResult:
    """Tell the present date and time."""
    now = datetime.now(UTC).replace(microsecond=0)
    local = now.astimezone(_zone(timezone))
    return ToolResult(
        summary=f"It is {local:%A}, {local.isoformat(sep=' ')} in {timezone}.",
        data={
            "utc": now.isoformat(),
            "local": local.isoformat(),
            "timezone": timezone,
            "date": local.date(),
            "weekday": f"{local:%A}",
            "week": local.isocalendar().week,
        },
    )


def _zone(name: str) -> ZoneInfo:
    if name in available_timezones() or name == "UTC":
        return ZoneInfo(name)
    nearest = [zone for zone, _, _ in process.extract(name, sorted(available_timezones()), limit=3)]
    hint = f"Perhaps: {', '.join(nearest)}." if nearest else "Use UTC; this machine has no list of zones."
    raise ToolError("unknown_timezone", f"there is no time zone `{name[:60]}`", hint=hint)
