"""A transcript with calls is rendered as texts, and each of its messages once."""

from collections.abc import Sequence

import pytest

from agents.models.base import Call, Message, ModelRequest, ToolSpec
from agents.models.text.rendering import Renderer, protocol_prompt
from orchestrator.errors import TeamError
from orchestrator.ports.clock import Deadline

LOOK = ToolSpec("shelf.look", "看看架上。", {"type": "object", "properties": {"item": {"type": "string"}}}, "read")
OPENING = (Message("system", "You look."), Message("user", "Look."))


def _request(messages: Sequence[Message], tools: tuple[ToolSpec, ...] = (LOOK,)) -> ModelRequest:
    return ModelRequest(tuple(messages), tools, 3, Deadline.after(9))


def _shown(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


def test_a_call_and_its_result() -> None:
    """The thought on one line, the action, its input in strict JSON; the result is an observation of the user's."""
    call = Call("c1.0", "shelf.look", {"item": "螺栓"})
    transcript = (
        *OPENING,
        Message("assistant", "", (call,), thought="I\nlook."),
        Message("tool", "12", call_id="c1.0"),
    )
    messages = Renderer().messages(_request(transcript))
    assert messages[0].text.startswith("You look.\n\n# How to use tools")
    assert _shown(messages[1:]) == [
        ("user", "Look."),
        ("assistant", 'Thought: I look.\nAction: shelf.look\nAction Input: {"item":"螺栓"}'),
        ("user", "Observation: 12"),
    ]


def test_calls_made_side_by_side_are_told_one_after_another() -> None:
    """A transcript that began with native calls goes on as a text: each action is followed by its observation."""
    calls = (Call("c1.0", "shelf.look", {"item": "a"}), Call("c1.1", "shelf.look", {}, malformed="{item: "))
    transcript = (
        *OPENING,
        Message("assistant", "I look twice.", calls),
        Message("tool", "1", call_id="c1.0"),
        Message("tool", "no JSON", call_id="c1.1"),
    )
    assert _shown(Renderer().messages(_request(transcript))[2:]) == [
        ("assistant", 'Thought: I look twice.\nAction: shelf.look\nAction Input: {"item":"a"}'),
        ("user", "Observation: 1"),
        ("assistant", "Action: shelf.look\nAction Input: {item: "),
        ("user", "Observation: no JSON"),
    ]


def test_the_roles_take_turns() -> None:
    """What Remit says after a result is part of the same message: many templates allow no two in a row."""
    call = Call("c1.0", "shelf.look", {})
    transcript = (
        *OPENING,
        Message("user", "Mind the step."),
        Message("assistant", "", (call,)),
        Message("tool", "1", call_id="c1.0"),
        Message("user", "Answer now."),
    )
    shown = _shown(Renderer().messages(_request(transcript))[1:])
    assert [role for role, _ in shown] == ["user", "assistant", "user"]
    assert shown[0][1] == "Look.\n\nMind the step."
    assert shown[2][1] == "Observation: 1\n\nAnswer now."


def test_tools_are_told_with_their_schemas() -> None:
    """Names as we write them, descriptions and schemas with Chinese as Chinese and references written out."""
    nested = {
        "properties": {"at": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": {"type": "string", "enum": ["左", "右"]}},
    }
    prompt = protocol_prompt((LOOK, ToolSpec("go", "Go.", nested)))
    assert "### shelf.look\n\n看看架上。\n" in prompt
    assert '{"properties":{"at":{"type":"string","enum":["左","右"]}},"type":"object"}' in prompt
    assert prompt.count("Final Answer: ") == 3
    with pytest.raises(TeamError, match="tool go: the schema refers to"):
        protocol_prompt((ToolSpec("go", "Go.", {"properties": {"at": {"$ref": "#/nowhere"}}}),))


def test_the_last_call_is_told_how_to_answer() -> None:
    """Without tools, but after calls, the prompt asks for the answer alone."""
    transcript = (
        *OPENING,
        Message("assistant", "", (Call("c1.0", "shelf.look", {}),)),
        Message("tool", "1", call_id="c1.0"),
    )
    system = Renderer().messages(_request(transcript, ()))[0].text
    assert "No tool can be used any more" in system
    assert "shelf.look" not in system


def test_an_agent_without_tools_is_told_of_no_protocol() -> None:
    """Its messages go out as they are."""
    assert Renderer().messages(_request(OPENING, ())) == OPENING


def test_a_transcript_without_a_system_message_gets_one() -> None:
    """The tools have to be told somewhere."""
    messages = Renderer().messages(_request(OPENING[1:]))
    assert [message.role for message in messages] == ["system", "user"]


def test_a_growing_transcript_keeps_its_messages() -> None:
    """The same objects come back, so that whoever encodes them does it once; only the end is new."""
    renderer = Renderer()
    transcript: list[Message] = list(OPENING)
    before: tuple[Message, ...] = ()
    for n in range(1, 6):
        transcript.append(Message("assistant", "", (Call(f"c{n}.0", "shelf.look", {"item": str(n)}),), thought="t"))
        transcript.append(Message("tool", str(n), call_id=f"c{n}.0"))
        after = renderer.messages(_request(transcript))
        assert len(after) == len(transcript)
        assert all(one is other for one, other in zip(before, after, strict=False))
        before = after


def test_another_transcript_is_rendered_anew() -> None:
    """Other tools, other messages: nothing of the one is left in the other."""
    renderer = Renderer()
    first = renderer.messages(_request(OPENING))
    other = (Message("system", "You go."), Message("user", "Go."))
    second = renderer.messages(_request(other, (ToolSpec("go", "Go.", {}),)))
    assert "shelf.look" in first[0].text
    assert "shelf.look" not in second[0].text
    assert second[0].text.startswith("You go.")
    assert second[1].text == "Go."
