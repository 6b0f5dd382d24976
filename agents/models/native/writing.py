"""Writes messages and tools as chat-completions JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents.models.base import Call, Message, ToolSpec
from agents.protocols.call_ids import wire_id
from agents.protocols.json_text import dumps, non_finite, text_bytes
from agents.protocols.names import wire_name
from agents.protocols.schemas import inlined, plain
from orchestrator.errors import DefectError, TeamError

SIGNED = ("reasoning_details", "extra_content")
"""Members of a reply with which providers recognise their own reasoning: OpenRouter's, Gemini's."""
PLAIN = "reasoning_content"
"""Reasoning as plain text: DeepSeek's newer models want it back, its older ones refuse it."""
CALLS = "calls"
THOUGHT = "thought"
"""The argument that is added to every tool where a server passes on nothing that its model says beside a call."""
LONGEST_THOUGHT = 500


@dataclass(frozen=True, slots=True)
class Shape:
    """What differs from server to server in how a message is written."""

    null_content: bool = True
    """The content beside calls is null; False: an empty text."""
    system_role: Literal["system", "developer", "user"] = "system"
    plain_schemas: bool = False
    """Tool schemas are reduced to the keywords that every server takes."""
    replays: Literal["signed", "all", "none"] = "signed"
    """What goes back of a model's own reasoning: what its provider signed or sealed, also its plain text, nothing."""
    asks_thought: bool = False
    """The thought of a call is asked for as an argument of the tool."""


def encode_message(message: Message, shape: Shape, model: str = "") -> bytes:
    """One message as JSON for `model`. Raises DefectError for arguments that are no JSON, for a result without a call.

    A reply's payload of its provider goes back only to the model that gave it.
    """
    if message.role == "tool":
        if message.call_id is None:
            raise DefectError("a tool message answers no call")
        return text_bytes({"role": "tool", "tool_call_id": wire_id(message.call_id), "content": message.text})
    opaque = message.opaque if message.opaque and message.model == model else {}
    if message.role == "assistant" and message.calls:
        content = message.text or (None if shape.null_content else "")
        signed: Mapping[str, Any] = opaque.get(CALLS, {}) if shape.replays != "none" else {}
        thought = message.thought[:LONGEST_THOUGHT] if shape.asks_thought and not message.text else ""
        calls = [{**_encoded_call(call, thought), **signed.get(call.id, {})} for call in message.calls]
        return text_bytes({"role": "assistant", "content": content, **_replayed(opaque, shape), "tool_calls": calls})
    if opaque:
        return text_bytes({"role": "assistant", "content": message.text, **_replayed(opaque, shape)})
    role = shape.system_role if message.role == "system" else message.role
    return text_bytes({"role": role, "content": message.text})


def _replayed(opaque: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """The members of a reply that go back with it."""
    names = {"signed": SIGNED, "all": (*SIGNED, PLAIN), "none": ()}[shape.replays]
    return {name: opaque[name] for name in names if name in opaque}


def _encoded_call(call: Call, thought: str) -> dict[str, Any]:
    # Its own calls show a model how to call: the thought stands where it was asked for.
    given = {THOUGHT: thought, **call.arguments} if thought else call.arguments
    # Arguments that were no JSON are never sent back: llama-server answers 500 to the whole history.
    arguments = dumps(given, f"the arguments of call {call.id}") if call.malformed is None else "{}"
    function = {"name": wire_name(call.tool), "arguments": arguments}
    return {"id": wire_id(call.id), "type": "function", "function": function}


def encode_tools(tools: Sequence[ToolSpec], shape: Shape) -> bytes:
    """The JSON list of the tools. Raises TeamError for a schema that cannot be sent."""
    return b"[" + b",".join(_encoded_tool(tool, shape) for tool in tools) + b"]"


def _encoded_tool(tool: ToolSpec, shape: Shape) -> bytes:
    where = f"tool {tool.name}"
    schema = inlined(tool.parameters, where)
    if shape.plain_schemas:
        schema = plain(schema)
    if shape.asks_thought and not takes_thought(schema):
        schema = _with_thought(schema)
    if path := non_finite(schema):
        raise TeamError(f"the schema holds NaN or Infinity at {path}", where=where, mend="Leave the value out.")
    function = {"name": wire_name(tool.name), "description": tool.description, "parameters": schema}
    return dumps({"type": "function", "function": function}, where).encode()


def takes_thought(schema: Mapping[str, Any]) -> bool:
    """True when a tool has an argument of its own by the name of the added one."""
    return THOUGHT in schema.get("properties", {})


def _with_thought(schema: Mapping[str, Any]) -> dict[str, Any]:
    asked = {"type": "string", "description": "One sentence: what you want to find out, and why this call does it."}
    properties = {THOUGHT: asked, **schema.get("properties", {})}
    return {**schema, "properties": properties, "required": [THOUGHT, *schema.get("required", [])]}
