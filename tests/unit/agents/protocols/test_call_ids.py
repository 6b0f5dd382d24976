"""The ids of calls."""

from hypothesis import given
from hypothesis import strategies as st

from agents.protocols.call_ids import own_id, wire_id


def test_writes_nine_letters_and_digits() -> None:
    """The strictest servers take exactly nine letters and digits."""
    assert own_id(7, 2) == "c7.2"
    assert wire_id("c7.2") == "c00007002"


@given(st.sets(st.tuples(st.integers(0, 99_999), st.integers(0, 999)), max_size=50))
def test_ids_stay_unique_on_the_wire(places: set[tuple[int, int]]) -> None:
    """Two calls of a transcript never share an id."""
    ids = {wire_id(own_id(step, index)) for step, index in places}
    assert len(ids) == len(places)
    assert all(len(one) == 9 and one.isalnum() for one in ids)


@given(st.text(max_size=30))
def test_any_other_id_fits_too(text: str) -> None:
    """An id that is not of our form is still written in nine letters and digits, always the same."""
    wire = wire_id(text)
    assert len(wire) == 9
    assert wire.isascii()
    assert wire.isalnum()
    assert wire == wire_id(text)


def test_ids_with_leading_noughts_are_not_confused() -> None:
    """`c07.2` is not `c7.2`."""
    assert wire_id("c07.2") != wire_id("c7.2")
