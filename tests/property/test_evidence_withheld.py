"""What is withheld is nowhere in what leaves, and what has no hits leaves as it is."""

import json
import string
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.withholding import SETS, find, redact
from orchestrator.domain.withholding.numbers import luhn

TEXTS = st.text(alphabet="ab▒ []withheld1█•…", max_size=40) | st.text(max_size=40)
STRINGS = st.lists(st.text(alphabet="ab▒ []withheld1█•…", min_size=1, max_size=6), max_size=5)
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def texts(value: Any) -> Iterator[str]:
    """All texts of a value but its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def shape(value: Any) -> Any:
    """A value with its texts left out."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value)


@given(value=VALUES, strings=STRINGS)
def test_no_withheld_string_is_left(value: Any, strings: list[str]) -> None:
    """Not even one that the mark itself, or the mark and its neighbours, would make."""
    redacted = redact(value, strings)
    sought = [one for one in strings if one.strip()]
    assert not [one for one in sought for text in texts(redacted) if one in text]
    assert shape(redacted) == shape(value)


@given(value=VALUES, strings=STRINGS)
def test_what_holds_none_of_the_strings_is_unchanged(value: Any, strings: list[str]) -> None:
    """Redacting is for what was named and nothing else."""
    absent = [one for one in strings if not any(one in text for text in texts(value))]
    assert redact(value, absent) == value


def card(prefix: str, body: str) -> str:
    """A card number with the right check digit."""
    return next(prefix + body + digit for digit in string.digits if luhn(prefix + body + digit))


@given(
    prefix=st.sampled_from(["4", "51", "55", "6011", "62"]),
    body=st.text(alphabet=string.digits, min_size=15, max_size=15),
    gap=st.sampled_from(["", " ", "-"]),
    around=st.sampled_from([("paid by ", " today"), ("| ", " |"), ('"', '"'), ("卡号", "。"), ("card=", ", ok")]),
    digit=st.integers(1, 9),
)
def test_a_card_is_found_and_one_wrong_digit_is_none(
    prefix: str, body: str, gap: str, around: tuple[str, str], digit: int
) -> None:
    """Any issuer's number with its check digit, however grouped; with another check digit it is just a number."""
    number = card(prefix, body[: 15 - len(prefix)])
    wrong = number[:-1] + str((int(number[-1]) + digit) % 10)
    for digits, expected in ((number, True), (wrong, False)):
        written = gap.join(digits[at : at + 4] for at in range(0, 16, 4))
        text = around[0] + written + around[1]
        assert ([hit.text for hit in find(text, ["cards"])] == [written]) is expected
        if expected:
            assert written not in redact(text, [written])


@given(text=st.text(max_size=300))
def test_hits_are_parts_of_the_text(text: str) -> None:
    """Whatever the text, hits stand where they say, in order, and can be written as JSON."""
    hits = find(text, SETS)
    assert all(text[hit.start : hit.end] == hit.text for hit in hits)
    assert all(a.start <= b.start for a, b in pairwise(hits))
    assert json.loads(json.dumps([hit.model_dump() for hit in hits])) == [hit.model_dump() for hit in hits]
