"""A model that answers texts, read as if it could call tools."""

from typing import Any

import pytest

from agents.errors import ModelUnavailableError, ToolsRefusedError
from agents.models.base import Call, Message, ModelReply, ModelRequest, ToolSpec, Usage
from agents.models.scripted import Scripted, cut_off, said
from agents.models.text.automatic import Automatic
from agents.models.text.model import TextProtocol
from orchestrator.ports.clock import Deadline

LOOK = ToolSpec("look", "", {"properties": {"item": {"type": "string"}}, "required": ["item"]}, "read")
OPENING = (Message("system", "You look."), Message("user", "Look."))
CALLED = (Message("assistant", "", (Call("c1.0", "look", {}),)), Message("tool", "1", call_id="c1.0"))


def _asked(*messages: Message, tools: tuple[ToolSpec, ...] = (LOOK,)) -> ModelRequest:
    return ModelRequest((*OPENING, *messages), tools, 4, Deadline.after(9))


def test_an_action_is_a_call() -> None:
    """With an id of ours, its thought, what was spent, and no text beside it."""
    inner = Scripted([said('Thought: t\nAction: look\nAction Input: {"item": "a"}', tokens=7)])
    reply = TextProtocol(inner).complete(_asked())
    assert reply == ModelReply("", (Call("c4.0", "look", {"item": "a"}),), "calls", Usage("scripted", 7, 7, "0"), "t")
    (request,) = inner.asked
    assert (request.tools, request.stop) == ((), ("\nObservation:", "\n观察："))


def test_notes_go_with_the_call() -> None:
    """What was left out of the reply is told beside the call's result."""
    inner = Scripted([said("Action: look[a]\nFinal Answer: b")])
    (call,) = TextProtocol(inner).complete(_asked()).calls
    assert [note[:16] for note in call.notes] == ["The Final Answer"]


def test_an_answer_is_a_text() -> None:
    """Its label is not part of it; what the server told of the thought is kept."""
    inner = Scripted([said("Thought: enough\nFinal Answer: 42", thought="deep")])
    reply = TextProtocol(inner).complete(_asked())
    assert (reply.text, reply.calls, reply.finish, reply.thought) == ("42", (), "stop", "deep\nenough")


def test_neither_is_a_fault() -> None:
    """The text stays as it was written, with the reasons why it counts as nothing."""
    reply = TextProtocol(Scripted([said("Let me see.")])).complete(_asked())
    assert (reply.text, reply.calls) == ("Let me see.", ())
    assert "neither an Action nor a Final Answer" in reply.faults[0]


def test_what_was_cut_off_is_not_read() -> None:
    """An action in a reply that reached its longest is never carried out."""
    inner = Scripted([cut_off()])
    assert TextProtocol(inner).complete(_asked()) == cut_off()


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("42", {"text": "42"}),
        ("Thought: t\nFinal Answer: 42", {"text": "42", "thought": "t"}),
    ],
)
def test_the_last_call_takes_any_answer(text: str, changes: dict[str, Any]) -> None:
    """Without tools a text is the answer, with or without a label; no stop sequence can cut it."""
    inner = Scripted([said(text)])
    reply = TextProtocol(inner).complete(_asked(*CALLED, tools=()))
    assert {name: getattr(reply, name) for name in changes} == changes
    assert reply.faults == ()
    assert inner.asked[0].stop == ()


def test_an_agent_without_tools_says_what_it_likes() -> None:
    """It was told of no protocol, so nothing in its text is a label."""
    text = "Thought: t\nFinal Answer: 42"
    assert TextProtocol(Scripted([said(text)])).complete(_asked(tools=())) == said(text)


def test_after_a_refusal_of_tools_the_text_protocol_is_used() -> None:
    """Natively first; once the endpoint is known to refuse, it is not tried again."""
    takes = [True]

    def refuse(request: ModelRequest) -> ModelReply:
        takes[0] = False
        raise ToolsRefusedError("no tools")

    inner = Scripted([refuse, said("Action: look[a]"), said("Action: look[b]")])
    model = Automatic(inner, TextProtocol(inner), lambda: takes[0])
    assert [model.complete(_asked()).calls[0].arguments for _ in range(2)] == [{"item": "a"}, {"item": "b"}]
    assert [bool(request.tools) for request in inner.asked] == [True, False, False]
    assert model.name == "scripted"


def test_another_failure_changes_nothing() -> None:
    """A model that does not answer is not asked in another way."""
    inner = Scripted([ModelUnavailableError("away")])
    with pytest.raises(ModelUnavailableError):
        Automatic(inner, TextProtocol(inner), lambda: True).complete(_asked())
    assert len(inner.asked) == 1
