"""The errors of models keep what they carry."""

import pickle

from agents.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError


def test_an_unavailable_model_keeps_the_wait_it_asked_for() -> None:
    """The error crosses processes with all its parts."""
    error = pickle.loads(pickle.dumps(ModelUnavailableError("busy", where="model m", mend="Wait.", retry_after=7.5)))
    assert isinstance(error, ModelUnavailableError)
    assert (str(error), error.retry_after) == ("model m: busy. Wait.", 7.5)


def test_an_overflow_keeps_its_counts_and_is_a_refusal() -> None:
    """Whoever only knows refusals treats an overflow as one."""
    error = pickle.loads(pickle.dumps(ContextOverflowError("too long", where="model m", limit=8192, tokens=9000)))
    assert isinstance(error, ModelRefusedError)
    assert isinstance(error, ContextOverflowError)
    assert (str(error), error.limit, error.tokens) == ("model m: too long", 8192, 9000)
