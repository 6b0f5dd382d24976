"""Reading stored observations: any depth, page by page, nothing lost between pages."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.errors import ToolError
from agents.observing import succeeded
from agents.tools.builtin.evidence import read
from agents.tools.function import ToolResult
from agents.trimming import parse_shown
from orchestrator.domain.step import StepCall
from orchestrator.ports.clock import Deadline

ROWS = [{"row": number, "text": f"payment {number} " + "x" * 60} for number in range(300)]
DATA = {"rows": ROWS, "name": "ledger", "total": "12.50", "long": "Ä" * 20_000, "a/b": {"c.d": [1]}, "none": None}


@dataclass(frozen=True)
class Context:
    """A run with one observation, E4.2."""

    data: Any = field(default_factory=lambda: DATA)
    deadline: Deadline = field(default_factory=lambda: Deadline.after(5))
    idempotency_key: str = "key"

    def input(self, name: str) -> Path:
        """No inputs."""
        raise ToolError("unknown_input", name)

    def input_names(self) -> Mapping[str, str]:
        """No inputs."""
        return {}

    def observed(self, ref: str) -> Any:
        """The data of E4.2."""
        if ref != "E4.2":
            raise ToolError("unknown_evidence", f"there is no observation `{ref}`")
        return self.data

    def files(self) -> Mapping[str, int]:
        """No tool made a file."""
        return {}

    def file(self, name: str) -> Path:
        """None."""
        raise ToolError("unknown_file", name)

    def setting(self, name: str) -> str | None:
        """Nothing is set."""
        del name
        return None


def page(context: Context | None = None, /, **arguments: Any) -> ToolResult:
    """Read a page of E4.2."""
    result = read.run(read.arguments(ref="E4.2", **arguments), context or Context())
    assert isinstance(result, ToolResult)
    return result


def test_pages_through_rows_without_a_gap() -> None:
    """From the first page's `next_offset` to the last, every row once."""
    collected: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        result = page(path="/rows", offset=offset)
        collected += result.data["items"]
        offset = result.data["next_offset"]
    assert collected == ROWS


def test_says_where_a_page_stands() -> None:
    """The summary tells the range, the total and the way on."""
    result = page(path="/rows", offset=10, limit=5)
    assert result.summary == "E4.2 at /rows: items 10 to 14 of 300. Go on with offset=15."
    assert result.data["items"] == ROWS[10:15]
    assert page(path="/rows", offset=298).summary == "E4.2 at /rows: items 298 to 299 of 300."


def test_a_page_is_never_trimmed_again() -> None:
    """What the agent reads is the page as it was returned, in one piece."""
    for arguments in ({"path": "/rows"}, {"path": "/long"}, {}):
        result = page(**arguments)
        shown = parse_shown(succeeded(StepCall(id="c1.0", tool="evidence.read"), "E5.1", result).shown)
        assert shown["data"] == result.data
        assert "more" not in shown


def test_reads_texts_by_characters() -> None:
    """A long text in pieces that join to the whole."""
    pieces: list[str] = []
    offset: int | None = 0
    while offset is not None:
        data = page(path="/long", offset=offset).data
        pieces.append(data["text"])
        offset = data["next_offset"]
    assert "".join(pieces) == DATA["long"]
    assert page(path="/name").data == {
        "kind": "text",
        "total": 6,
        "offset": 0,
        "text": "ledger",
        "next_offset": None,
    }


def test_an_object_shows_small_fields_and_says_what_lies_deeper() -> None:
    """Large fields are shown in part, with the path that reads them."""
    result = page()
    assert result.data["fields"]["name"] == "ledger"
    assert result.data["total"] == 6
    assert "of 300 items of /rows" in result.summary
    assert "read those with a longer path" in result.summary


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/rows/2/row", 2),
        ("rows[2].row", 2),
        ("$.rows.2.row", 2),
        ("/total", "12.50"),
        ("/none", None),
        ("/a~1b/c.d/0", 1),
    ],
)
def test_finds_its_way(path: str, value: Any) -> None:
    """By JSON pointer, or written with dots."""
    data = page(path=path).data
    assert data.get("value", data.get("text")) == value


@pytest.mark.parametrize(
    ("path", "what", "hint"),
    [
        ("/row", "E4.2 has no field `row`", "`rows`"),
        ("/rows/300", "E4.2 at /rows is a list and has no item `300`", "It has 300, from 0 on."),
        ("/rows/-1", "has no item `-1`", "from 0 on"),
        ("/rows/first", "has no item `first`", "from 0 on"),
        ("/total/cents", "E4.2 at /total is a single value", "shorter path"),
    ],
)
def test_says_where_a_path_goes_wrong(path: str, what: str, hint: str) -> None:
    """Up to where it is right, and what there is instead, nearest first."""
    with pytest.raises(ToolError) as caught:
        page(path=path)
    assert caught.value.code == "unknown_path"
    assert what in caught.value.what
    assert hint in str(caught.value.mend)


@pytest.mark.parametrize(("path", "offset"), [("/rows", 300), ("/name", 6), ("", 6)])
def test_behind_the_end_is_nothing(path: str, offset: int) -> None:
    """An empty page says that the offset is too large, and how large it may be."""
    result = page(path=path, offset=offset)
    assert result.empty
    assert f"the last has the number {offset - 1}" in result.summary


@pytest.mark.parametrize("empty", [[], {}, ""])
def test_what_is_empty_is_said_to_be(empty: Any) -> None:
    """An empty list, object or text is no error."""
    assert "0" in page(Context({"x": empty}), path="/x").summary


def test_one_item_that_is_too_long_is_shown_in_part() -> None:
    """The page is not empty, goes on behind it, and names the path that reads it whole."""
    result = page(Context({"x": [{"text": "y" * 50_000}, 2]}), path="/x")
    assert result.data["items"][0]["text"].endswith("y…")
    assert result.data["next_offset"] == 1
    assert "of 50,000 characters of /0/text" in result.summary


def test_an_unknown_observation_is_an_error() -> None:
    """As the run says it."""
    with pytest.raises(ToolError, match=r"there is no observation `E9\.9`"):
        read.run(read.arguments(ref="E9.9"), Context())


LISTS = st.lists(
    st.text(max_size=3_000) | st.integers() | st.lists(st.integers(), max_size=400), min_size=1, max_size=30
)


@given(LISTS)
def test_pages_never_lose_an_item_and_always_fit(items: list[Any]) -> None:
    """Whatever the items, each page moves on, fits its room, and holds the items that it says."""
    offset: int | None = 0
    seen = 0
    while offset is not None:
        data = page(Context(items), offset=offset).data
        assert data["offset"] == offset == seen
        assert len(data["items"]) >= 1
        assert len(json.dumps(data, ensure_ascii=False)) < 8_000
        seen += len(data["items"])
        offset = data["next_offset"]
    assert seen == len(items)
