"""A child of a mapped subtask is told of the beginning of its list, and of all of anything else."""

from hypothesis import given
from hypothesis import strategies as st

from agents.briefing import Predecessor
from workers.siblings import MOST_LISTED, has_long_list, without_siblings


def _told(**data: object) -> Predecessor:
    return Predecessor(key="list", title="List", status="done", text="Listed.", data=data)


@given(st.integers(0, 400), st.integers(0, 400))
def test_only_its_list_is_shortened(things: int, others: int) -> None:
    """Up to a hundred items nothing changes; above, the first hundred are left, with a word on the others."""
    told = _told(things=list(range(things)), others=list(range(others)), note="x")
    (shown,) = without_siblings((told,), "things")
    if things <= MOST_LISTED:
        assert shown == told
    else:
        left_out = f"{things - 100} of {things} items of things; yours is `item`"
        assert shown.data == {**told.data, "things": list(range(100)), "left_out": left_out}
    assert without_siblings((told,), None) == (told,)
    assert has_long_list((told,)) is (max(things, others) > MOST_LISTED)


def test_other_predecessors() -> None:
    """One without such a list, or with something else of its name, is told of as it is."""
    told = (_told(things="many"), _told(), _told(things=list(range(1200))))
    shown = without_siblings(told, "things")
    assert shown[:2] == told[:2]
    assert shown[2].data["left_out"] == "1,100 of 1,200 items of things; yours is `item`"
