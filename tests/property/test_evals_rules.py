"""What expectations have in common, whatever the data."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.evals.calls import call_faults
from agents.evals.case import Expected
from agents.evals.likeness import is_like
from agents.evals.trial import MadeCall

_TEXTS = st.text(max_size=8).filter(lambda text: not (len(text) > 2 and text[0] == text[-1] == "/"))
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)
_MADE = st.builds(
    MadeCall,
    agent=st.just("a"),
    tool=st.sampled_from(["look", "buy"]),
    arguments=st.fixed_dictionaries({"at": st.integers(0, 2)}),
    ok=st.just(value=True),
)


@given(_VALUES)
def test_everything_is_like_itself(value: Any) -> None:
    """No value fails to have what it has."""
    assert is_like(value, value)


@given(st.dictionaries(_TEXTS, _VALUES, max_size=4), _VALUES, st.data())
def test_more_never_hurts_an_object(found: dict[str, Any], other: Any, data: st.DataObject) -> None:
    """A part of an object is found in it, also when something is added."""
    kept = data.draw(st.sets(st.sampled_from(sorted(found)))) if found else set[str]()
    part = {key: found[key] for key in kept}
    assert is_like(part, {**found, "another/key": other})


@given(st.lists(_MADE, max_size=6), st.data())
def test_calls_that_were_made_are_found(made: list[MadeCall], data: st.DataObject) -> None:
    """Any calls out of those made are found: in their order, and in any order however they are listed."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(made), max_size=len(made)))
    wanted = [{"tool": c.tool, "arguments": dict(c.arguments)} for c, keep in zip(made, kept, strict=True) if keep]
    shuffled = data.draw(st.permutations(wanted))
    assert list(call_faults(Expected.model_validate({"calls": wanted}), made)) == []
    assert list(call_faults(Expected.model_validate({"calls": shuffled, "order": "any"}), made)) == []


@given(st.lists(_MADE, max_size=5), _MADE)
def test_one_more_call_is_missed(made: list[MadeCall], more: MadeCall) -> None:
    """Expecting all that was made and one more is a fault, in any order, and the extra call is the only one."""
    listed = [{"tool": call.tool, "arguments": dict(call.arguments)} for call in (*made, more)]
    assert len(list(call_faults(Expected.model_validate({"calls": listed, "order": "any"}), made))) == 1
