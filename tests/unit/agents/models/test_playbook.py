"""A playbook stands in for a model: it sees what a model would read, and answers in the same form."""

import json
from collections.abc import Callable

import pytest

from agents.briefing import Briefing, opening
from agents.catalog import AgentSpec
from agents.errors import ModelRefusedError, ToolError
from agents.models.base import Call, Message, ModelRequest, ToolSpec
from agents.models.playbook import Action, Playbook, Seen, View, answer, load_playbook, use
from agents.observing import failed, succeeded
from agents.tools.function import ToolResult
from orchestrator.domain.goal import Goal
from orchestrator.domain.step import StepCall
from orchestrator.errors import TeamError
from orchestrator.ports.clock import Deadline

TOOLS = (ToolSpec("tables.profile", "Profile.", {}),)
OPENING = opening(
    Briefing(
        kind="specialist",
        agent=AgentSpec(name="reader", kind="specialist"),
        goal=Goal(text="Compare"),
        title="Read",
        instruction="Read it.",
        item={"id": "B1"},
    )
)


def request(*messages: Message, tools: tuple[ToolSpec, ...] = TOOLS, step: int = 3) -> ModelRequest:
    """A question to the model, after the opening and these messages."""
    return ModelRequest((*OPENING, *messages), tools, step, Deadline.after(5))


def seen_by(policy_request: ModelRequest) -> View:
    """What a policy is given."""
    views: list[View] = []

    def policy(view: View) -> Action:
        views.append(view)
        return answer("done")

    Playbook(policy).complete(policy_request)
    return views[0]


def test_a_policy_sees_briefing_observations_and_notices() -> None:
    """Each observation with the call that it answers; what Remit said since in order."""
    first = StepCall(id="c1.0", tool="tables.profile", arguments={"input": "left"})
    second = StepCall(id="c2.0", tool="tables.profile", arguments={"input": "right"})
    good = succeeded(first, "E1.1", ToolResult("3 rows", {"rows": 3}, artifacts={"a.csv": b"x"}))
    bad = failed(second, "E1.2", ToolError("unknown_input", "there is no input `right`", hint="It has: left."))
    view = seen_by(
        request(
            Message("assistant", "", (Call("c1.0", "tables.profile", {"input": "left"}),)),
            Message("tool", good.shown, call_id="c1.0"),
            Message("user", "Hurry."),
            Message("assistant", "", (Call("c2.0", "tables.profile", {"input": "right"}),)),
            Message("tool", bad.shown, call_id="c2.0"),
        )
    )
    assert view.briefing["item"] == {"id": "B1"}
    assert view.notices == ("Hurry.",)
    assert not view.last_call
    one, other = view.observations
    assert one == Seen(
        tool="tables.profile",
        arguments={"input": "left"},
        ok=True,
        summary="3 rows",
        data={"rows": 3},
        ref="E1.1",
        artifacts=("a.csv",),
        call_id="c1.0",
    )
    assert (other.ok, other.summary, other.error["code"]) == (False, "there is no input `right`", "unknown_input")
    assert view.seen("tables.profile") == view.observations
    assert view.seen("other") == ()


def test_using_tools_is_a_reply_with_calls() -> None:
    """Ids are ours and tell the step; it costs nothing; the thoughts are kept."""
    actions = [
        use("tables.profile", "First the left.", input="left"),
        use("tables.profile", "Then the right.", input="right"),
    ]
    reply = Playbook(lambda _: actions).complete(request(step=7))
    assert reply.calls == (
        Call("c7.0", "tables.profile", {"input": "left"}),
        Call("c7.1", "tables.profile", {"input": "right"}),
    )
    assert (reply.finish, reply.text, reply.thought) == ("calls", "", "First the left.\nThen the right.")
    assert (reply.usage.model, reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost) == (
        "playbook",
        0,
        0,
        "0",
    )


@pytest.mark.parametrize(
    ("content", "text"), [("As it is.", "As it is."), ({"summary": "上海"}, '{"summary": "上海"}')]
)
def test_answering_is_a_reply_with_text(content: object, text: str) -> None:
    """A text as it is, any other value as JSON."""
    reply = Playbook(lambda _: answer(content, "Done.")).complete(request())
    assert (reply.text, reply.thought, reply.calls, reply.finish) == (text, "Done.", (), "stop")


def test_the_last_call_has_no_tools() -> None:
    """A policy learns that it must answer; if it still wants a tool, there is no call in the reply."""
    last = request(tools=())
    assert seen_by(last).last_call
    reply = Playbook(lambda _: use("tables.profile", "One more look.", input="left")).complete(last)
    assert (reply.calls, reply.text, reply.thought) == ((), "", "One more look.")


def test_the_same_transcript_gives_the_same_action() -> None:
    """A view is a value: nothing is kept from call to call."""
    assert seen_by(request()) == seen_by(request())


def divides(view: View) -> Action:
    """A policy with a bug."""
    return answer(1 / len(view.observations))


def misreads(view: View) -> Action:
    """A policy that expects what is not there."""
    return answer(view.briefing["absent"])


@pytest.mark.parametrize("broken", [divides, misreads])
def test_a_policy_that_fails_is_named(broken: Callable[[View], Action]) -> None:
    """The line says which playbook, and what happened in it."""
    with pytest.raises(ModelRefusedError) as caught:
        Playbook(broken, "shop.playbook:plan").complete(request())
    assert str(caught.value).startswith("shop.playbook:plan: the playbook failed: ")
    assert "\n" not in str(caught.value)


def test_loads_a_policy_by_its_reference() -> None:
    """The name that people see is `playbook`."""
    assert load_playbook("agents.models.playbook:answer").name == "playbook"
    with pytest.raises(TeamError, match="it is a str, not a function"):
        load_playbook("agents.models.playbook:NAME")


def test_a_transcript_without_a_briefing_is_refused() -> None:
    """A playbook cannot work on what it does not understand."""
    messages = (Message("system", "x"), Message("user", "Hello"))
    with pytest.raises(ModelRefusedError, match="no briefing"):
        Playbook(lambda _: answer("x")).complete(ModelRequest(messages, (), 1, Deadline.after(1)))


def test_an_answer_must_be_json() -> None:
    """NaN is no answer."""
    with pytest.raises(ModelRefusedError, match="not JSON compliant"):
        Playbook(lambda _: answer({"share": float("nan")})).complete(request())
    assert json.loads(Playbook(lambda _: answer({"a": 1})).complete(request()).text) == {"a": 1}
