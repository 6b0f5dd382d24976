"""The tool `clock`: tells the present time, which a model cannot know."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field
from rapidfuzz import process

from agents.errors import ToolError
from agents.tools.function import ToolResult, tool

_DIFFERENCE = re.compile(r"(?:utc|gmt)? ?(?P<sign>[+-]) ?(?P<hours>\d{1,2})(?::?(?P<minutes>[0-5]\d))?", re.IGNORECASE)
_ALIKE = 75.0
_NAMED = "Zones are named by continent and city, such as Asia/Shanghai or America/New_York; +08:00 works too."


@tool(
    "clock",
    effect="read",
    use_when="today's date or the present time matters",
    not_when="a date stands in the data",
    seconds=5,
)
def clock(
    timezone: Annotated[
        str,
        Field(
            max_length=100,
            description="A zone of the IANA list, or a difference to UTC.",
            examples=["Europe/Vienna", "+08:00"],
        ),
    ] = "UTC",
) -> ToolResult:
    """Tell the present date and time."""
    now = datetime.now(UTC).replace(microsecond=0)
    zone = _zone(timezone)
    local = now.astimezone(zone)
    return ToolResult(
        summary=f"It is {local:%A}, {local.isoformat(sep=' ')} in {zone}.",
        data={
            "utc": now.isoformat(),
            "local": local.isoformat(),
            "timezone": str(zone),
            "date": local.date(),
            "weekday": f"{local:%A}",
            "week": local.isocalendar().week,
        },
    )


def _zone(name: str) -> tzinfo:
    wanted = name.strip().replace("\u2212", "-")
    known = {zone.casefold(): zone for zone in (*available_timezones(), "UTC")}
    if found := known.get(wanted.casefold().replace(" ", "_")):
        return ZoneInfo(found)
    difference = _DIFFERENCE.fullmatch(wanted)
    if difference and int(difference["hours"]) <= 14:
        minutes = 60 * int(difference["hours"]) + int(difference["minutes"] or 0)
        return timezone(timedelta(minutes=minutes if difference["sign"] == "+" else -minutes))
    nearest = process.extract(wanted, sorted(known.values()), limit=3, score_cutoff=_ALIKE)
    hint = f"Perhaps: {', '.join(zone for zone, _, _ in nearest)}. " if nearest and wanted else ""
    raise ToolError("unknown_timezone", f"there is no time zone `{name[:60]}`", hint=f"{hint}{_NAMED}")
