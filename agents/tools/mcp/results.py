"""Turns what a server returned into the contract of every tool: a summary, data, files; or an error."""

import base64
import binascii
import json
import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)

from agents.errors import ToolError
from agents.tools.function import Tool, ToolResult
from agents.tools.mcp.failures import server_says

_SUMMARY = 240
_LONGEST_ERROR = 1_500
_NAME = re.compile(r"[^\w.-]+")


@dataclass(slots=True)
class _Parts:
    """The content of a result, sorted."""

    values: list[Any] = field(default_factory=list[Any])
    """Texts (as JSON where they are), links and texts of resources."""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])


def result_of(tool: Tool, answer: CallToolResult) -> ToolResult:
    """The result. Raises ToolError('server_error') when the server says that the tool failed."""
    if answer.is_error:
        raise _failed(tool, answer)
    parts = _sorted(tool, answer.content)
    data = _data(parts.values, answer.structured_content)
    if parts.files:
        files = f"{len(parts.files)} file{'s' if len(parts.files) > 1 else ''}: {', '.join(parts.files)}"
        summary = f"{tool.name} returned {files}" + (f"; {_brief(data)}" if data is not None else ".")
        return ToolResult(summary, data, artifacts=parts.files)
    if data in (None, "", [], {}):
        return ToolResult(f"{tool.name} {_nothing(tool)}", data, empty=True)
    return ToolResult(f"{tool.name} returned {_brief(data)}", data)


def _failed(tool: Tool, answer: CallToolResult) -> ToolError:
    said = " ".join(part.text for part in answer.content if isinstance(part, TextContent)).strip()
    if not said and answer.structured_content is not None:
        said = json.dumps(answer.structured_content, ensure_ascii=False, default=str)
    return server_says(tool, said[:_LONGEST_ERROR] or "the server gives no reason")


def _nothing(tool: Tool) -> str:
    if tool.effect == "read":
        return "returned nothing: nothing fits these arguments. Try others, or another tool."
    return "was carried out and returned nothing. Do not repeat it to get an answer."


def _sorted(tool: Tool, content: Iterable[ContentBlock]) -> _Parts:
    parts = _Parts()
    stem = _NAME.sub("-", tool.name.rpartition(".")[2])[:60]
    for block in content:
        match block:
            case TextContent(text=text):
                parts.values.append(_as_json(text))
            case ImageContent(data=encoded, mime_type=kind) | AudioContent(data=encoded, mime_type=kind):
                _keep(parts, f"{stem}{_suffix(kind)}", encoded)
            case ResourceLink():
                kept = {"uri": str(block.uri), "name": block.name, "description": block.description}
                parts.values.append(kept | {"type": block.mime_type, "size": block.size})
            case EmbeddedResource(resource=BlobResourceContents() as resource):
                _keep(parts, _file_name(str(resource.uri), stem, resource.mime_type), resource.blob)
            case EmbeddedResource(resource=resource):
                parts.values.append({"uri": str(resource.uri), "text": getattr(resource, "text", "")})
    return parts


def _data(values: list[Any], structured: Any) -> Any:
    if structured is None:
        return values[0] if len(values) == 1 else values or None
    # Servers repeat structured content as text for clients that know nothing else.
    inner = structured.get("result") if isinstance(structured, dict) and len(structured) == 1 else structured
    said = [one for one in values if not (_same(one, structured) or _same(one, inner))]
    if not said or (isinstance(inner, list) and _same(values, inner)):
        return structured
    return {"result": structured, "said": said[0] if len(said) == 1 else said}


def _same(one: Any, other: Any) -> bool:
    return one == other or (isinstance(one, str) and one == str(other))


def _as_json(text: str) -> Any:
    """A text that is a JSON object or list as that, so that it is trimmed by fields and rows; any other as it is."""
    if text.lstrip()[:1] not in {"{", "["}:
        return text
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _keep(parts: _Parts, name: str, encoded: str) -> None:
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        # The call has happened: a broken file must not make it look as if it had failed.
        parts.values.append(f"(a file {name} came broken and was left out)")
        return
    stem, dot, suffix = name.rpartition(".")
    number = 1
    while name in parts.files:
        number += 1
        name = f"{stem}-{number}{dot}{suffix}"
    parts.files[name] = content


def _file_name(uri: str, stem: str, kind: str | None) -> str:
    last = _NAME.sub("-", PurePosixPath(unquote(urlsplit(uri).path)).name).strip("-.")[-100:]
    return last if "." in last else f"{last or stem}{_suffix(kind)}"


def _suffix(kind: str | None) -> str:
    return mimetypes.guess_extension((kind or "").partition(";")[0].strip()) or ".bin"


def _brief(data: Any) -> str:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    line = " ".join(text[: 2 * _SUMMARY].split())
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 1] + "…"
