"""Steps become the messages of a transcript, and a provider's own payload goes with them."""

from agents.transcript import as_message
from orchestrator.domain.step import Step, StepCall, StepResult, StepUsage

OPAQUE = {"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}
CALLING = Step(
    n=1,
    text="I look.",
    thought="hm",
    calls=(StepCall(id="c1.0", tool="look"), StepCall(id="c1.1", tool="look")),
    results=(StepResult(call_id="c1.0", ok=True, shown="three rows"),),
    usage=StepUsage(model="m"),
    opaque=OPAQUE,
)


def test_a_call_and_its_result_never_part() -> None:
    """A call that is open yet is not shown."""
    said, told = as_message(CALLING)
    assert ([call.id for call in said.calls], said.thought) == (["c1.0"], "hm")
    assert (told.role, told.text, told.call_id) == ("tool", "three rows", "c1.0")


def test_the_payload_goes_with_the_model_that_gave_it() -> None:
    """Beside calls as beside an answer; a notice has none."""
    said = as_message(CALLING)[0]
    assert (said.opaque, said.model) == (OPAQUE, "m")
    (answered,) = as_message(Step(n=2, text="Done.", usage=StepUsage(model="m"), opaque=OPAQUE))
    assert (answered.opaque, answered.model, answered.text) == (OPAQUE, "m", "Done.")
    (notice,) = as_message(Step(n=3, kind="notice", text="Go on."))
    assert (dict(notice.opaque), notice.model) == ({}, "")
