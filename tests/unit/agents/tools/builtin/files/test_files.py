"""The files of a run: listed, read page by page, written under plain names, exact rows as CSV."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agents.errors import ToolError
from agents.isolation import Isolation
from agents.tools.builtin.files.read import list_files, read
from agents.tools.builtin.files.write import write
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext
from orchestrator.ports.clock import Deadline

LONG = "第一行 “引用” \\ line\n" * 2_000
ROWS = [{"id": 1, "amount": "-1204.50", "text": "=SUM(A1)"}, {"id": 2, "name": '上海, "quoted"\nline', "amount": None}]


@pytest.fixture
def context(tmp_path: Path) -> LocalContext:
    """A run with two inputs and files of two subtasks."""
    contents = {
        "notes.txt": "Grüße".encode("cp1252"),
        "photo.png": b"\x89PNG\r\n\x1a\n\0\0",
        "report.md": b"# First",
        "report2.md": b"# Second",
        "long.txt": LONG.encode(),
        "other.md": b"x",
        "empty.md": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    made = {
        "E2.1/report.md": "report.md",
        "E2.10/report.md": "report2.md",
        "E2.3/long.txt": "long.txt",
        "E2.4/twice.md": "other.md",
        "E3.1/twice.md": "other.md",
        "E3.2/empty.md": "empty.md",
    }
    return LocalContext(
        inputs={"notes": tmp_path / "notes.txt", "photo": tmp_path / "photo.png"},
        made={name: tmp_path / file for name, file in made.items()},
        observations={"E4.2": {"rows": ROWS, "total": "12.50", "text": "hello", "none": []}},
    )


def page(context: LocalContext, name: str, **arguments: Any) -> ToolResult:
    """A page of a file."""
    result = read.run(read.arguments(name=name, **arguments), context)
    assert isinstance(result, ToolResult)
    return result


def written(context: LocalContext, name: str, **arguments: Any) -> bytes:
    """The file that is written."""
    result = write.run(write.arguments(name=name, **arguments), context)
    assert isinstance(result, ToolResult)
    assert list(result.artifacts) == [name]
    assert result.data == {"file": name, "bytes": len(result.artifacts[name])}
    return result.artifacts[name]


def test_lists_what_there_is(context: LocalContext) -> None:
    """Inputs by name, made files in the order of their observations."""
    result = list_files.run(list_files.arguments(), context)
    assert isinstance(result, ToolResult)
    assert result.data["inputs"] == [
        {"name": "notes", "file": "notes.txt", "bytes": 5},
        {"name": "photo", "file": "photo.png", "bytes": 10},
    ]
    assert [one["name"] for one in result.data["made"]] == [
        "E2.1/report.md",
        "E2.3/long.txt",
        "E2.4/twice.md",
        "E2.10/report.md",
        "E3.1/twice.md",
        "E3.2/empty.md",
    ]


def test_a_run_without_files_says_so() -> None:
    """That is no error."""
    result = list_files.run(list_files.arguments(), LocalContext())
    assert isinstance(result, ToolResult)
    assert result.empty
    assert "no tool has made one yet" in result.summary


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("E2.1/report.md", "# First"),
        ("report.md", "# Second"),
        ("notes", "Grüße"),
        ("notes.txt", "Grüße"),
        ("E3.2/empty.md", ""),
    ],
)
def test_reads_by_any_of_its_names(context: LocalContext, name: str, text: str) -> None:
    """By number, by name alone (the latest so called), by the input's or the file's name; in any encoding."""
    assert page(context, name).data["text"] == text


def test_an_empty_file_says_so(context: LocalContext) -> None:
    """And where else to look; it is no error."""
    result = page(context, "E3.2/empty.md")
    assert result.empty
    assert result.summary == (
        "E3.2/empty.md is empty: there is nothing in it to read. See with files.list what else there is."
    )


def test_pages_through_a_long_file(context: LocalContext) -> None:
    """Every character once."""
    pieces, offset = list[str](), 0
    while offset is not None:
        result = page(context, "long.txt", offset=offset)
        pieces.append(result.data["text"])
        offset = result.data["next_offset"]
    assert "".join(pieces) == LONG
    assert len(pieces) > 4
    assert page(context, "long.txt").summary.startswith("E2.3/long.txt: characters 0 to ")


@pytest.mark.parametrize(
    ("name", "offset", "code", "hint"),
    [
        ("reprot.md", 0, "unknown_file", "E2.1/report.md"),
        ("../../etc/passwd", 0, "unknown_file", "There are: "),
        ("/etc/passwd", 0, "unknown_file", "There are: "),
        ("twice.md", 0, "ambiguous_name", "E2.4/twice.md, E3.1/twice.md"),
        ("photo", 0, "not_a_text", "documents.read"),
        ("E2.1/report.md", 7, "behind_the_end", "smaller offset"),
    ],
)
def test_says_what_is_wrong_with_a_name(context: LocalContext, name: str, offset: int, code: str, hint: str) -> None:
    """And which files there are."""
    with pytest.raises(ToolError) as caught:
        page(context, name, offset=offset)
    assert caught.value.code == code
    assert hint in str(caught.value.mend)


@pytest.mark.parametrize("name", ["report.md", "报告 2026.md", "a", "A-1_b (2).tar.gz", "Größe+Maß.txt"])
def test_writes_under_plain_names(context: LocalContext, name: str) -> None:
    """In any script."""
    assert written(context, name, content="第一\n") == "第一\n".encode()


@pytest.mark.parametrize(
    "name",
    ["../x.md", "a/b.md", "a\\b.md", "..", ".hidden", "/abs", "C:x", "con", "NUL.txt", "x.", "x ", "a\nb", "a\0b"],
)
def test_refuses_names_with_a_way_out(context: LocalContext, name: str) -> None:
    """Of the folder, or to something that is no file."""
    with pytest.raises(ToolError) as caught:
        write.run(write.arguments(name=name, content="x"), context)
    assert caught.value.code == "invalid_name"


@pytest.mark.parametrize("name", ["-rf", "a*b", "a:b", "~x", "日" * 41])
def test_refuses_names_that_other_systems_do_not_take(context: LocalContext, name: str) -> None:
    """Or that a command would take for something else."""
    with pytest.raises(ToolError) as caught:
        write.run(write.arguments(name=name, content="x"), context)
    assert caught.value.code == "invalid_name"


def test_writes_rows_of_an_observation_as_csv(context: LocalContext) -> None:
    """Exactly, all columns of all rows; what a spreadsheet would run is made harmless, negative numbers are not."""
    assert written(context, "rows.csv", rows_of="E4.2").decode() == (
        'id,amount,text,name\r\n1,-1204.50,\'=SUM(A1),\r\n2,,,"上海, ""quoted""\nline"\r\n'
    )


def test_writes_data_as_json_and_text(context: LocalContext) -> None:
    """A field of it, or all."""
    assert json.loads(written(context, "x.json", rows_of="E4.2")) == ROWS
    assert written(context, "x.json", rows_of="E4.2", field="total") == b'"12.50"\n'
    assert written(context, "x.md", rows_of="E4.2", field="text") == b"hello"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"name": "a.csv"}, "invalid_arguments"),
        ({"name": "a.csv", "content": "x", "rows_of": "E4.2"}, "invalid_arguments"),
        ({"name": "a.csv", "rows_of": "E9.9"}, "unknown_evidence"),
        ({"name": "a.csv", "rows_of": "E4.2", "field": "row"}, "unknown_field"),
        ({"name": "a.csv", "rows_of": "E4.2", "field": "total"}, "no_rows"),
        ({"name": "a.csv", "rows_of": "E4.2", "field": "none"}, "no_rows"),
        ({"name": "a.xlsx", "rows_of": "E4.2"}, "invalid_name"),
    ],
)
def test_says_what_cannot_be_written(context: LocalContext, arguments: dict[str, Any], code: str) -> None:
    """Neither text nor rows, no such rows, no such format."""
    with pytest.raises(ToolError) as caught:
        write.run(
            write.arguments.model_construct(**{"content": None, "rows_of": None, "field": None, **arguments}), context
        )
    assert caught.value.code == code
    assert caught.value.mend


def test_writing_is_safe_to_repeat() -> None:
    """The same call makes the same file."""
    assert write.effect == "idempotent"
    assert (read.effect, list_files.effect) == ("read", "read")


def test_decimals_stay_exact_in_csv() -> None:
    """As rows of the sandbox have them."""
    from agents.tools.builtin.files.csv_text import csv_text

    rows = [{"a": Decimal("1E+3"), "b": Decimal("0.10"), "c": 10**20, "d": True, "e": [1, "x"]}]
    assert csv_text(rows) == 'a,b,c,d,e\r\n1000,0.10,100000000000000000000,true,"[1, ""x""]"\r\n'
    assert csv_text([["x", 1], ["@y"]]) == "x,1\r\n'@y,\r\n"


def test_reads_in_a_child_process(context: LocalContext) -> None:
    """As for an agent: the run's files are asked of the worker."""
    isolation = Isolation()
    try:
        result = isolation.run(read, read.arguments(name="report.md"), context, Deadline.after(60))
    finally:
        isolation.close()
    assert isinstance(result, ToolResult)
    assert (result.data["name"], result.data["text"]) == ("E2.10/report.md", "# Second")
