"""What an answer's headers say of the rate that is left: `x-ratelimit-*` and its relatives."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Unit = Literal["requests", "tokens"]


@dataclass(frozen=True, slots=True)
class Quota:
    """So much is left of `limit`; `reset`: seconds until all of it is there again.

    `refills`: it comes back bit by bit (a bucket); otherwise all at once (a window).
    """

    unit: Unit
    left: float
    reset: float
    limit: float | None = None
    refills: bool = True

    def wait(self, need: float) -> float:
        """Seconds until so much is left."""
        if self.left >= need:
            return 0.0
        if not self.refills or self.limit is None or self.limit <= self.left:
            return self.reset
        return min(self.reset, self.reset * (need - self.left) / (self.limit - self.left))


_HEADERS: tuple[tuple[str, Unit, bool], ...] = (
    ("x-ratelimit-{}-requests", "requests", True),
    ("x-ratelimit-{}-tokens", "tokens", True),
    ("anthropic-ratelimit-requests-{}", "requests", True),
    ("anthropic-ratelimit-tokens-{}", "tokens", True),
    ("x-ratelimit-{}", "requests", False),
    ("ratelimit-{}", "requests", False),
)
_SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_EPOCH, _EPOCH_MILLISECONDS = 1e9, 1e11
"""A reset above these is a moment, not a span."""


def quotas(headers: Mapping[str, str], now: datetime) -> tuple[Quota, ...]:
    """All that the headers tell and can be read."""
    found: list[Quota] = []
    for form, unit, refills in _HEADERS:
        left = _number(headers.get(form.format("remaining")))
        reset = span(headers.get(form.format("reset"), ""), now)
        if left is not None and reset is not None:
            found.append(Quota(unit, left, reset, _number(headers.get(form.format("limit"))), refills))
    return tuple(found)


def longest_wait(found: Sequence[Quota], tokens: int) -> float:
    """Seconds until one more request of so many tokens is allowed."""
    return max((one.wait(1 if one.unit == "requests" else tokens) for one in found), default=0.0)


def span(text: str, now: datetime) -> float | None:
    """Seconds of `1.5`, `6m0s`, `20ms`, a moment since 1970 or a date; None when it is none of these."""
    text = text.strip()
    number = _number(text)
    if number is not None:
        if number >= _EPOCH_MILLISECONDS:
            number /= 1000
        return max(0.0, number - now.timestamp()) if number >= _EPOCH else number
    match = _SPAN.fullmatch(text) if text else None
    if match is not None:
        days, hours, minutes, seconds, milliseconds = (float(part or 0) for part in match.groups())
        return days * 86_400 + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e15 else None
