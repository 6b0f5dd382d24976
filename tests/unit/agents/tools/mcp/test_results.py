"""What a server returned, as the result of a tool."""

import base64
from typing import Any

import pytest
from mcp.types import CallToolResult
from pydantic import BaseModel

from agents.errors import ToolError
from agents.tools.function import Effect, Tool, ToolResult
from agents.tools.mcp.results import result_of


class NoArguments(BaseModel):
    """None."""


def a_tool(effect: Effect = "unsafe") -> Tool:
    """A tool whose result is read here."""
    return Tool(
        name="far.draw",
        description="…",
        effect=effect,
        arguments=NoArguments,
        function=lambda: ToolResult(""),
        takes_context=False,
        seconds=30.0,
        isolated=False,
    )


def result(*content: dict[str, Any], effect: Effect = "unsafe", **more: Any) -> ToolResult:
    """The result of such content."""
    return result_of(a_tool(effect), CallToolResult.model_validate({"content": list(content), **more}))


def text(value: str) -> dict[str, Any]:
    """A text."""
    return {"type": "text", "text": value}


def image(content: bytes, kind: str = "image/png") -> dict[str, Any]:
    """A picture."""
    return {"type": "image", "data": base64.b64encode(content).decode(), "mimeType": kind}


@pytest.mark.parametrize(
    ("content", "data"),
    [
        ([text("It rains.")], "It rains."),
        ([text("a"), text("b")], ["a", "b"]),
        ([text('{"rain": 1.50}')], {"rain": 1.5}),
        ([text("[1, 2]")], [1, 2]),
        ([text('{"rain": NaN}')], '{"rain": NaN}'),
        ([text("{broken")], "{broken"),
        ([text("3")], "3"),
        ([text("[" * 100_000)], "[" * 100_000),
    ],
)
def test_texts(content: Any, data: Any) -> None:
    """A text that is a JSON object or list is that, so that it can be trimmed by rows and fields."""
    assert result(*content).data == data


@pytest.mark.parametrize(
    ("structured", "content", "data"),
    [
        ({"a": 1}, [text('{\n  "a": 1\n}')], {"a": 1}),
        ({"a": 1}, [], {"a": 1}),
        ({"result": 3}, [text("3")], {"result": 3}),
        ({"result": "x"}, [text("x")], {"result": "x"}),
        ({"result": ["x", "y"]}, [text("x"), text("y")], {"result": ["x", "y"]}),
        ({"a": 1}, [text("Mind the date.")], {"result": {"a": 1}, "said": "Mind the date."}),
        ([1, 2], [], [1, 2]),
    ],
)
def test_structured_content(structured: Any, content: Any, data: Any) -> None:
    """It is the data; texts that only repeat it are left out, others are kept beside it."""
    assert result(*content, structuredContent=structured).data == data


def test_files() -> None:
    """Pictures, sounds and resources get a name, an ending and their bytes; names are never given twice."""
    blob = {"uri": "file:///tmp/last%20year.pdf", "blob": base64.b64encode(b"%PDF").decode()}
    unnamed = {"uri": "memo://", "mimeType": "text/csv", "blob": base64.b64encode(b"a,b").decode()}
    sound = {"type": "audio", "data": base64.b64encode(b"RIFF").decode(), "mimeType": "audio/nonsense; rate=1"}
    found = result(
        image(b"one"),
        image(b"two"),
        image(b"three", "image/jpeg"),
        sound,
        {"type": "resource", "resource": blob},
        {"type": "resource", "resource": unnamed},
    )
    assert found.artifacts == {
        "draw.png": b"one",
        "draw-2.png": b"two",
        "draw.jpg": b"three",
        "draw.bin": b"RIFF",
        "last-year.pdf": b"%PDF",
        "draw.csv": b"a,b",
    }
    assert found.data is None
    assert found.summary.startswith("far.draw returned 6 files: draw.png, draw-2.png, draw.jpg, ")


@pytest.mark.parametrize("uri", ["file:///../../etc/passwd.txt", "x:///a/..", "x:///%2e%2e%2f%00", "x:///" + "n" * 500])
def test_names_of_files_are_plain(uri: str) -> None:
    """Whatever the server calls them."""
    found = result({"type": "resource", "resource": {"uri": uri, "blob": "QQ=="}})
    (name,) = found.artifacts
    assert "/" not in name
    assert name not in {".", ".."}
    assert name.isprintable()
    assert len(name) <= 120


def test_a_broken_file_does_not_hide_that_the_call_happened() -> None:
    """An error would invite the agent to do it again."""
    broken = {"type": "image", "data": "no base64!", "mimeType": "image/png"}
    assert result(text("Ordered."), broken).data == ["Ordered.", "(a file draw.png came broken and was left out)"]


def test_links() -> None:
    """What the server could read, as data."""
    link = {"type": "resource_link", "uri": "memo://1", "name": "memo", "mimeType": "text/plain"}
    expected = {"uri": "memo://1", "name": "memo", "description": None, "type": "text/plain", "size": None}
    assert result(link).data == expected


@pytest.mark.parametrize(("content", "structured"), [([], None), ([text("")], None), ([], {}), ([text("[]")], [])])
def test_nothing(content: Any, structured: Any) -> None:
    """It says what that means, and what to try instead."""
    read = result(*content, structuredContent=structured, effect="read")
    assert read.empty
    assert read.summary == ("far.draw returned nothing: nothing fits these arguments. Try others, or another tool.")
    done = result(*content, structuredContent=structured)
    assert done.empty
    assert done.summary == "far.draw was carried out and returned nothing. Do not repeat it to get an answer."


def test_a_long_text_is_cut_in_the_summary_alone() -> None:
    """One line of bounded length."""
    found = result(text("word\n" * 1000))
    assert len(found.data) == 5000
    assert len(found.summary) < 300
    assert "\n" not in found.summary
    assert found.summary.endswith("…")


@pytest.mark.parametrize(
    ("content", "structured", "why"),
    [
        ([text("no such"), text("town")], None, "no such town"),
        ([], {"reason": "später"}, '{"reason": "später"}'),
        ([], None, "the server gives no reason"),
        ([text("x" * 9000)], None, "x" * 1500),
    ],
)
def test_an_error(content: Any, structured: Any, why: str) -> None:
    """The tool's own words, within bounds."""
    with pytest.raises(ToolError) as caught:
        result(*content, structuredContent=structured, isError=True)
    assert (caught.value.code, caught.value.what) == ("server_error", f"far.draw failed: {why}")
