"""A plain answer is the model's own: one call, and no figure in it has a source."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.errors import ModelUnavailableError
from agents.evals.plain import LONGEST_INPUT, plain_trial
from agents.models.scripted import Scripted, said

Make = Callable[..., Any]


def test_a_plain_answer(case: Make) -> None:
    """Figures that the goal gave are the asker's own; every other one is unsupported."""
    asked = case().model_copy(update={"goal": "Is 12 more than the average?"})
    trial = plain_trial(asked, Scripted([said("Yes, 12 is more than 11.5.", tokens=30)]))
    assert (trial.state, trial.steps, trial.tokens, trial.models) == ("done", 1, 60, ("scripted",))
    assert trial.calls == ()
    assert [fault for fault in trial.unsupported if "11.5" in fault] == list(trial.unsupported)
    assert len(trial.unsupported) == 1


def test_an_answer_as_json(case: Make) -> None:
    """Is data as well."""
    trial = plain_trial(case(), Scripted([said('{"verdict": "supported"}')]))
    assert trial.documents == ({"verdict": "supported"},)


def test_what_the_model_is_asked(case: Make, tmp_path: Path) -> None:
    """The goal, its parameters and the beginning of its files; no tools."""
    long = tmp_path / "long.txt"
    long.write_text("x" * (LONGEST_INPUT + 1))
    model = Scripted([said("So.")])
    plain_trial(case().model_copy(update={"inputs": {"notes": long}, "parameters": {"city": "Wien"}}), model)
    (request,) = model.asked
    assert request.tools == ()
    assert [message.role for message in request.messages] == ["system", "user"]
    assert request.messages[1].text == f'How much?\n\n{{"city": "Wien"}}\n\nnotes (long.txt):\n{"x" * LONGEST_INPUT}…'


def test_a_model_that_does_not_answer(case: Make) -> None:
    """The trial failed, with the reason."""
    trial = plain_trial(case(), Scripted([ModelUnavailableError("it is away")]))
    assert (trial.state, trial.reason, trial.answer) == ("failed", "it is away", "")
