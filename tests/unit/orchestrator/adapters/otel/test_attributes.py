"""What may be exported of the values that callers hand in."""

import math

import orjson
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.adapters.otel.attributes import REFUSED, TEXT_LIMIT, clean, described, text

anything = st.one_of(
    st.text(st.characters(codec=None)),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.binary(),
    st.lists(st.integers(), max_size=3),
)


@given(st.dictionaries(st.text(st.characters(codec=None)), anything, max_size=8))
def test_whatever_is_handed_in_can_be_encoded(attributes: dict[str, object]) -> None:
    """Every cleaned value is plain, finite, of 64 bits or short text; JSON and UTF-8 take it."""
    cleaned = clean(attributes)
    orjson.dumps(cleaned)
    for key, value in cleaned.items():
        key.encode()
        assert type(value) in (str, int, float, bool)
        if isinstance(value, str):
            value.encode()
            assert len(value) <= TEXT_LIMIT
        else:
            assert math.isfinite(value)
            assert abs(value) <= 2**63 or isinstance(value, float)


@given(st.dictionaries(st.text("abc", min_size=1), st.one_of(st.integers(-9, 9), st.booleans(), st.text("xyz"))))
def test_harmless_attributes_are_unchanged(attributes: dict[str, object]) -> None:
    """Cleaning changes nothing that needs none, nor the type of a truth value."""
    assert clean(attributes) == attributes
    assert [type(value) for value in clean(attributes).values()] == [type(value) for value in attributes.values()]


def test_refused_values_are_named() -> None:
    """Each attribute that was left out is listed with what stood in it."""
    assert clean({"a": math.inf, "b": None, "c": 1.5}) == {"c": 1.5, REFUSED: "a: inf; b: NoneType"}


def test_text_is_cut_with_a_sign() -> None:
    """What was cut off is seen to be cut off."""
    assert text("abcdef", 4) == "abc…"
    assert text("abcd", 4) == "abcd"


def test_an_exception_is_described_in_one_line() -> None:
    """Also one without a message, and one whose message cannot be made."""

    class BrokenError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert described(ValueError("a\n  b")) == "ValueError: a b"
    assert described(KeyError()) == "KeyError"
    assert described(BrokenError()) == "BrokenError"
