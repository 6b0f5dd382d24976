"""A record has exactly the numbers that an index of it has, however it was found out."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.evidence.index import Index
from orchestrator.domain.evidence.records import Record, keys_of, text_keys, whole_key
from orchestrator.domain.evidence.typography import fold

_AMOUNTS = st.decimals(min_value=-10_000, max_value=10_000, places=2, allow_nan=False)
_SCALARS = st.one_of(
    st.integers(-1_200, 1_200),
    st.integers(10**39, 10**41),
    _AMOUNTS,
    _AMOUNTS.map(str),
    _AMOUNTS.map(lambda amount: f"paid ({abs(amount)}) EUR on 2026-03-14"),
    st.booleans(),
    st.none(),
    st.floats(),
    st.sampled_from(["-", "INV-100731", "½", "1,234.56", "12 345", "007", "1e5", "row 12", "_1", "NaN"]),
)
_NAMES = st.sampled_from(["row", "amount", "lines", "ref", "1200"])
_RECORDS = st.dictionaries(
    _NAMES, st.one_of(_SCALARS, st.lists(_SCALARS, max_size=3), st.dictionaries(_NAMES, _SCALARS, max_size=2))
)


@given(content=_RECORDS, other=_AMOUNTS)
def test_a_record_has_what_its_index_has(content: Mapping[str, Any], other: Decimal) -> None:
    """Values with either sign, and row numbers as they are."""
    index = Index.of(content)
    asked = {*index.values, *map(Decimal, index.places), other}
    for value in {*asked, *(-one for one in asked), *(one + 1 for one in asked)}:
        whole = value == value.to_integral_value()
        indexed = value in index.values or -value in index.values or (whole and int(value) in index.places)
        assert Record(content, set()).has(value) == indexed


@given(text=st.one_of(st.text(max_size=90), _SCALARS.map(str)))
def test_a_text_is_known_as_a_whole_by_one_of_its_keys(text: str) -> None:
    """`whole_key` is that part of `text_keys`, and a scalar that is a text is known by those."""
    assert list(whole_key(text)) == [key for key in text_keys(text) if key[0] == "text"]
    assert list(keys_of(text)) == list(text_keys(text))


@given(text=st.one_of(st.text(alphabet="+-._019eENa \u0661½", max_size=9), st.text(max_size=9), _SCALARS.map(str)))
def test_every_text_that_is_a_number_is_known_by_it(text: str) -> None:
    """Three digits or more, and no infinity: however the number begins."""
    try:
        value = Decimal(fold(text).strip())
    except ArithmeticError:
        value = Decimal(0)
    counts = value.is_finite() and len(value.normalize().as_tuple().digits) >= 3
    numbers = [known for kind, known in text_keys(text) if kind == "number"]
    assert numbers == ([str(abs(value.normalize()))] if counts else [])
