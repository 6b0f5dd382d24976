"""Whatever a tool may return comes back from the store as it was."""

import json
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.content import dumps, plain

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5))


@given(JSON)
def test_any_json_value_survives(value: Any) -> None:
    """Writing and reading gives the same value, types included; making it plain again changes nothing."""
    stored = plain(value)
    read = json.loads(dumps(stored))
    assert read == stored == value
    assert repr(read) == repr(value)
    assert plain(read) == read


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_any_decimal_survives_exactly(value: Decimal) -> None:
    """Not a digit of an amount is lost, trailing zeros included unless an exponent stands for them."""
    text = json.loads(dumps(plain(value)))
    assert Decimal(text) == value
    assert "E" in text or Decimal(text).as_tuple().exponent == min(0, int(value.as_tuple().exponent))
