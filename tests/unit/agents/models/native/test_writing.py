"""Writing messages and tools for the wire."""

import json
from typing import Literal

import pytest

from agents.models.base import Call, Message, ToolSpec
from agents.models.native.writing import Shape, encode_message, encode_tools
from orchestrator.errors import DefectError, TeamError

USUAL = Shape()


@pytest.mark.parametrize(
    ("message", "wire"),
    [
        (Message("system", "You are 分析师."), '{"role":"system","content":"You are 分析师."}'),
        (Message("user", "Go"), '{"role":"user","content":"Go"}'),
        (Message("assistant", "Done"), '{"role":"assistant","content":"Done"}'),
        (Message("assistant", ""), '{"role":"assistant","content":""}'),
        (Message("tool", "3 rows", call_id="c1.0"), '{"role":"tool","tool_call_id":"c00001000","content":"3 rows"}'),
        (
            Message("assistant", calls=(Call("c1.0", "tables.profile", {"城市": "上海", "n": 2**70}),)),
            '{"role":"assistant","content":null,"tool_calls":[{"id":"c00001000","type":"function","function":'
            '{"name":"tables__profile","arguments":"{\\"城市\\":\\"上海\\",\\"n\\":1180591620717411303424}"}}]}',
        ),
        (
            Message("assistant", "I look.", calls=(Call("c2.0", "look", {}),)),
            '{"role":"assistant","content":"I look.","tool_calls":[{"id":"c00002000","type":"function","function":'
            '{"name":"look","arguments":"{}"}}]}',
        ),
    ],
)
def test_writes_each_kind_of_message(message: Message, wire: str) -> None:
    """Each role has its form; Chinese is not escaped."""
    assert encode_message(message, USUAL).decode() == wire


def test_never_sends_back_arguments_that_were_no_json() -> None:
    """A server that parses the history would answer 500 to all of it."""
    message = Message("assistant", calls=(Call("c1.0", "look", {}, malformed='{"a": "cut o'),))
    assert json.loads(encode_message(message, USUAL))["tool_calls"][0]["function"]["arguments"] == "{}"


def test_respects_the_shape_of_a_server() -> None:
    """Null content and the role of the system prompt are written as the server takes them."""
    shape = Shape(null_content=False, system_role="user")
    call = Message("assistant", calls=(Call("c1.0", "look", {}),))
    assert json.loads(encode_message(call, shape))["content"] == ""
    assert json.loads(encode_message(Message("system", "s"), shape))["role"] == "user"


OPAQUE = {
    "reasoning_content": "hm",
    "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}],
    "calls": {"c1.0": {"extra_content": {"google": {"thought_signature": "s"}}}},
}


@pytest.mark.parametrize(
    ("replays", "model", "members", "marked"),
    [
        ("signed", "m", {"reasoning_details"}, True),
        ("all", "m", {"reasoning_details", "reasoning_content"}, True),
        ("none", "m", set[str](), False),
        ("all", "another", set[str](), False),
    ],
)
def test_a_models_own_payload_goes_back_to_it_alone(
    replays: Literal["signed", "all", "none"], model: str, members: set[str], *, marked: bool
) -> None:
    """As far as its server takes it; beside an answer as beside calls."""
    usual = {"role", "content", "tool_calls"}
    calling = Message("assistant", calls=(Call("c1.0", "look", {}), Call("c1.1", "look", {})), opaque=OPAQUE, model="m")
    wire = json.loads(encode_message(calling, Shape(replays=replays), model))
    assert set(wire) - usual == members
    assert ["extra_content" in call for call in wire["tool_calls"]] == [marked, False]
    said = json.loads(
        encode_message(Message("assistant", "Done", opaque=OPAQUE, model="m"), Shape(replays=replays), model)
    )
    assert (set(said) - usual, said["content"]) == (members, "Done")


def test_refuses_nan_with_its_place() -> None:
    """NaN in a call's arguments is a defect that names the call and the path."""
    message = Message("assistant", calls=(Call("c3.1", "look", {"a": [float("nan")]}),))
    with pytest.raises(DefectError, match=r"the arguments of call c3\.1: NaN or Infinity at \$\.a\[0\]"):
        encode_message(message, USUAL)


def test_refuses_a_result_without_a_call() -> None:
    """A tool's message has to answer a call."""
    with pytest.raises(DefectError, match="answers no call"):
        encode_message(Message("tool", "x"), USUAL)


def test_replaces_broken_characters_anywhere() -> None:
    """A half character from a broken file does not stop the run."""
    call = Call("c1.0", "look", {"a\ud83d": "\ud83d"})
    wire = json.loads(encode_message(Message("assistant", "x\ud83d", calls=(call,)), USUAL))
    assert wire["content"] == "x\ufffd"
    assert json.loads(wire["tool_calls"][0]["function"]["arguments"]) == {"a\ufffd": "\ufffd"}


def test_writes_tools_with_whole_schemas() -> None:
    """References are inlined, names fit the wire, a tool without parameters is an object without properties."""
    schema = {"$defs": {"U": {"enum": ["千克"]}}, "properties": {"unit": {"$ref": "#/$defs/U"}}}
    tools = [ToolSpec("tables.query", "查询", schema), ToolSpec("clock", "The time.", {})]
    wire = encode_tools(tools, USUAL)
    assert "千克" in wire.decode()
    assert json.loads(wire) == [
        {
            "type": "function",
            "function": {
                "name": "tables__query",
                "description": "查询",
                "parameters": {"type": "object", "properties": {"unit": {"enum": ["千克"]}}},
            },
        },
        {
            "type": "function",
            "function": {
                "name": "clock",
                "description": "The time.",
                "parameters": {"type": "object", "properties": {}},
            },
        },
    ]


def test_writes_plain_schemas_where_a_server_wants_them() -> None:
    """Keywords that some servers refuse are left out on demand."""
    tool = ToolSpec("a", "b", {"additionalProperties": False, "properties": {"x": {"type": "string", "default": ""}}})
    parameters = json.loads(encode_tools([tool], Shape(plain_schemas=True)))[0]["function"]["parameters"]
    assert parameters == {"type": "object", "properties": {"x": {"type": "string"}}}


def test_a_schema_with_nan_is_the_tools_fault() -> None:
    """The person who declared the tool is told its name and the path."""
    tool = ToolSpec("scale", "b", {"properties": {"x": {"default": float("nan")}}})
    with pytest.raises(TeamError, match=r"tool scale: the schema holds NaN or Infinity at \$\.properties\.x\.default"):
        encode_tools([tool], USUAL)


def test_asks_for_a_thought_as_an_argument_where_it_is_due() -> None:
    """Before the tool's own arguments, which it never replaces; a thought that was given stands in the history."""
    shape = Shape(asks_thought=True)
    plain = ToolSpec("look", "Look.", {"properties": {"at": {"type": "string"}}, "required": ["at"]})
    own = ToolSpec("note", "Note.", {"properties": {"thought": {"type": "integer"}}})
    first, second = (one["function"]["parameters"] for one in json.loads(encode_tools((plain, own), shape)))
    assert (list(first["properties"]), first["required"]) == (["thought", "at"], ["thought", "at"])
    assert second["properties"] == {"thought": {"type": "integer"}}
    call = Message("assistant", calls=(Call("c1.0", "look", {"at": "it"}),), thought="I look.")
    (sent,) = json.loads(encode_message(call, shape))["tool_calls"]
    assert json.loads(sent["function"]["arguments"]) == {"thought": "I look.", "at": "it"}
    (usual,) = json.loads(encode_message(call, USUAL))["tool_calls"]
    assert json.loads(usual["function"]["arguments"]) == {"at": "it"}
