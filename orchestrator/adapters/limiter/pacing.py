"""The rules of pacing, in Python; `pacing.lua` says the same for Redis, and a test holds them together.

Three buckets stand before an endpoint: requests and tokens as they are configured, and a rate that is learned. Each
is one number, the moment at which it is full again, and lets `BURST` seconds' worth through at once; with `HEADROOM`,
no minute ever sees more than what is configured. A call whose turn comes within the caller's patience takes its place
at once, also if that lies ahead; others are sent away until about their turn, one after another, each run in a line
of its own. While several runs want more than there is, each gets its share.

After a 429 nobody asks for as long as the endpoint wants; then at half the rate that was too much, growing from there
until it is forgotten.
"""

import math
from dataclasses import dataclass, field

HEADROOM = 0.9
BURST = 60 * (1 - HEADROOM) / HEADROOM
"""Seconds: in any minute burst and refill together stay within the limit."""
GROWS = 30.0
"""Seconds after which a learned rate has doubled."""
FORGOTTEN = 600.0
SLOWEST = 1 / 60
WINDOW = 10.0
"""Seconds over which the rate of requests is counted."""
LONGEST_PAUSE = 30.0
"""When the endpoint does not say how long; from one second, doubled with each refusal."""
LONGEST_LINE = 60.0
"""Nobody is sent away for longer because of others who wait."""


@dataclass(slots=True)
class Key:
    """What is known of one endpoint and model. Times are seconds on the limiter's clock."""

    requests_at: float = 0.0
    tokens_at: float = 0.0
    learned_at: float = 0.0
    learned: float = 0.0
    cut_at: float = 0.0
    cuts: int = 0
    until: float = 0.0
    window_at: float = 0.0
    window: int = 0
    window_before: int = 0
    booked: dict[str, float] = field(default_factory=dict[str, float])
    """By run: until when it has used its share."""
    line: dict[str, float] = field(default_factory=dict[str, float])
    """By run: when the last one that was sent away comes back."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A call that wants to be sent; rates in requests and tokens a second, 0: unlimited."""

    run: str
    tokens: float
    requests_rate: float
    tokens_rate: float


@dataclass(frozen=True, slots=True)
class News:
    """What an answer told: when its call was taken, how many of its tokens were not used, whether it was refused, and
    for how long the endpoint wants to be left alone (below 0: it did not say)."""

    asked_at: float
    unused: float = 0.0
    refused: bool = False
    pause: float = -1.0


def take(key: Key, wish: Wish, now: float, patience: float) -> tuple[float, bool]:
    """Seconds to wait, and whether the place is taken."""
    learned = effective(key, now)
    wait = max(
        0.0,
        key.until - now,
        _until_free(key.requests_at, 1, wish.requests_rate, BURST, now),
        _until_free(key.tokens_at, wish.tokens, wish.tokens_rate, BURST, now),
        _until_free(key.learned_at, 1, learned, 0.0, now),
    )
    cost = _cost(wish, learned)
    runs = _wanting(key, wish.run, now)
    if runs > 1:
        wait = max(wait, key.booked.get(wish.run, 0.0) - max(BURST / runs, cost * runs) - now)
    if wait > patience:
        return _sent_away(key, wish.run, now + wait, cost * runs, now), False
    start = now + wait
    key.requests_at = _filled(key.requests_at, 1, wish.requests_rate, start)
    key.tokens_at = _filled(key.tokens_at, wish.tokens, wish.tokens_rate, start)
    key.learned_at = _filled(key.learned_at, 1, learned, start)
    if cost > 0:
        key.booked[wish.run] = max(key.booked.get(wish.run, 0.0), now) + cost * runs
    _count(key, now)
    return wait, True


def told(key: Key, wish: Wish, news: News, now: float) -> float:
    """Learn from an answer; seconds after which to try again."""
    if wish.tokens_rate > 0:
        key.tokens_at -= news.unused / wish.tokens_rate
    pause = news.pause
    if news.refused:
        _cut(key, now, news.asked_at)
        pause = pause if pause >= 0 else min(LONGEST_PAUSE, 2.0 ** (key.cuts - 1))
    if pause > 0:
        key.until = max(key.until, now + pause)
        key.learned_at = max(key.learned_at, key.until)
    if not news.refused:
        return max(0.0, key.until - now)
    cost = _cost(wish, effective(key, now)) * _wanting(key, wish.run, now)
    return _sent_away(key, wish.run, max(now, key.until), cost, now)


def effective(key: Key, now: float) -> float:
    """The learned rate as it has grown since it was learned; 0: none."""
    since = now - key.cut_at
    return 0.0 if key.learned == 0 or since > FORGOTTEN else key.learned * (1 + max(0.0, since) / GROWS)


def _until_free(full_at: float, amount: float, rate: float, burst: float, now: float) -> float:
    if rate == 0:
        return 0.0
    return full_at + min(amount / rate, burst) - burst - now


def _filled(full_at: float, amount: float, rate: float, start: float) -> float:
    return full_at if rate == 0 else max(full_at, start) + amount / rate


def _cost(wish: Wish, learned: float) -> float:
    """Seconds of the endpoint's time that the call takes from others."""
    by_request = [1 / rate for rate in (wish.requests_rate, learned) if rate > 0]
    by_token = [wish.tokens / wish.tokens_rate] if wish.tokens_rate > 0 else []
    return max([*by_request, *by_token], default=0.0)


def _wanting(key: Key, run: str, now: float) -> int:
    """How many runs want more than there is just now, this one among them."""
    known = set(key.booked) | set(key.line)
    for one in known:
        if max(key.booked.get(one, 0.0), key.line.get(one, 0.0)) <= now:
            key.booked.pop(one, None)
            key.line.pop(one, None)
    return len((set(key.booked) | set(key.line)) - {run}) + 1


def _sent_away(key: Key, run: str, earliest: float, cost: float, now: float) -> float:
    """When to come back: a place in the run's own line, or the last one that is near enough; who came between two
    places would be too early, and go to the end."""
    places = max(1, math.floor((now + LONGEST_LINE - earliest) / cost)) if cost > 0 else 0
    place = min(max(key.line.get(run, 0.0), earliest), earliest + places * cost)
    key.line[run] = place + cost
    return place - now


def _cut(key: Key, now: float, asked_at: float) -> None:
    """Halve the rate, once for all calls that were sent before it was known to be too much."""
    learned = effective(key, now)
    if learned > 0 and asked_at <= key.cut_at:
        return
    key.cuts = key.cuts + 1 if now - key.cut_at < LONGEST_PAUSE + BURST and learned > 0 else 1
    key.learned = max(SLOWEST, (learned if learned > 0 else _observed(key, now)) / 2)
    key.cut_at = now


def _count(key: Key, now: float) -> None:
    windows = int((now - key.window_at) // WINDOW) if key.window_at else 2
    if windows >= 1:
        key.window_before = key.window if windows == 1 else 0
        key.window = 0
        key.window_at = key.window_at + WINDOW if windows == 1 else now
    key.window += 1


def _observed(key: Key, now: float) -> float:
    """Requests a second of late."""
    if key.window_before:
        return (key.window_before + key.window) / (WINDOW + max(0.0, now - key.window_at))
    return key.window / max(1.0, now - key.window_at)
