"""Trimming never exceeds its limit, stays JSON, and invents nothing."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.fences import encoded, parse_shown
from agents.shrinking import shrink, size
from agents.trimming import Whole, show, show_error

TEXT = st.text('ab上 "\\\n</é', max_size=40) | st.sampled_from(["</observation>", "<briefing", "\x00\x1f", "上海" * 50])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=25)


@given(JSON, st.integers(0, 300))
def test_shrinking_keeps_the_room(value: Any, room: int) -> None:
    """What is kept fits, and something is said to be cut exactly when something is."""
    kept, cuts = shrink(value, room)
    assert len(encoded(kept)) <= max(room, len("null"))
    assert value is None or bool(cuts) == (repr(kept) != repr(value))


@given(JSON, st.integers(0, 300))
def test_shrinking_invents_nothing(value: Any, room: int) -> None:
    """Kept rows are the first rows, kept fields hold their own values, a cut text is the text's beginning."""
    kept, cuts = shrink(value, room)
    if kept is not None or not cuts:
        assert within(kept, value)


@given(JSON, st.integers(0, 200))
def test_measuring_agrees_with_writing(value: Any, cap: int) -> None:
    """The measure is exact up to the cap and above it beyond."""
    length = len(encoded(value))
    assert size(value, cap) == length if length <= cap else size(value, cap) > cap


@given(JSON, TEXT, st.lists(TEXT.filter(bool), max_size=5), st.booleans(), st.booleans(), st.integers(500, 3_000))
def test_an_observation_keeps_its_limit_and_can_be_read(
    data: Any, summary: str, files: list[str], partial: bool, readable: bool, limit: int
) -> None:
    """Whatever a tool returns, the agent reads at most the limit, and a playbook can parse it."""
    whole = Whole(
        "E12.34", "some.tool", summary, data, 10**9, partial, partial, artifacts=tuple(files), readable=readable
    )
    shown = show(whole, limit)
    read = parse_shown(shown)
    assert len(shown) <= limit
    assert (read["ref"], read["ok"]) == ("E12.34", True)
    assert shown.lower().count("</observation") == 1
    assert repr(read["data"]) == repr(data) or "more" in read


@given(TEXT, TEXT | st.none(), st.integers(500, 3_000))
def test_an_error_keeps_its_limit_and_can_be_read(message: str, hint: str | None, limit: int) -> None:
    """However long an error's message, it fits and names its code."""
    error = {"code": "tool_failed", "message": message * 30, "retryable": True, "hint": hint}
    shown = show_error("E12.34", "some.tool", error, limit)
    assert len(shown) <= limit
    assert parse_shown(shown)["error"]["code"] == "tool_failed"


def within(kept: Any, value: Any) -> bool:
    """True when `kept` is `value` with parts left out at ends."""
    if isinstance(kept, dict):
        return all(key in value and within(one, value[key]) for key, one in kept.items())
    if isinstance(kept, list):
        return len(kept) <= len(value) and all(within(one, other) for one, other in zip(kept, value, strict=False))
    if isinstance(kept, str) and kept != value:
        return kept.endswith("…") and value.startswith(kept[:-1])
    return repr(kept) == repr(value)
