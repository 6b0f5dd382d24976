"""The tools `files.list` and `files.read`: which files a run has, and the text in them."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field
from rapidfuzz import process

from agents.errors import ToolError
from agents.shrinking import size
from agents.tools.builtin.documents.document import UnreadableError
from agents.tools.builtin.documents.reading import decoded
from agents.tools.function import ToolContext, ToolResult, tool
from orchestrator.domain.counting import counted

ROOM = 6_000
"""Characters of one page."""
LARGEST = 20_000_000
"""Bytes of a file that can be read as text."""
_MADE = re.compile(r"E(?P<subtask>\d+)\.(?P<n>\d+)/(?P<name>.+)")


@tool(
    "files.list",
    effect="read",
    use_when="you need to know which files there are: inputs, and what tools made",
    not_when="you know the file's name already",
    seconds=10,
)
def list_files(context: ToolContext) -> ToolResult:
    """List the run's files with their sizes."""
    inputs = [
        {"name": name, "file": filename, "bytes": context.input(name).stat().st_size}
        for name, filename in context.input_names().items()
    ]
    made = [{"name": name, "bytes": count} for name, count in sorted(context.files().items(), key=_place)]
    if not inputs and not made:
        return ToolResult(
            summary="The run has no files: the goal came with none, and no tool has made one yet.",
            data={"inputs": [], "made": []},
            empty=True,
        )
    summary = f"{counted(len(inputs), 'input')}, {counted(len(made), 'file')} made by tools."
    return ToolResult(summary=summary, data={"inputs": inputs, "made": made})


@tool(
    "files.read",
    effect="read",
    use_when="you need the text of a file that a tool made, or of a small input that is a text",
    not_when="it is a table (query it), a PDF, a Word document, or long and you look for something (search documents)",
    seconds=60,
    isolated=True,
)
def read(
    context: ToolContext,
    name: Annotated[
        str, Field(max_length=300, description="As files.list names it.", examples=["E4.2/report.md", "notes"])
    ],
    *,
    offset: Annotated[int, Field(ge=0, description="The first character, from 0.")] = 0,
) -> ToolResult:
    """Read a text file of the run, page by page."""
    path, called = _found(context, name)
    if path.stat().st_size > LARGEST:
        what = f"{called} has more than {LARGEST // 1_000_000} MB"
        raise ToolError("too_large", what, hint="Query it as a table, or search it as a document.")
    try:
        text, notes = decoded(path.read_bytes(), called) if path.stat().st_size else ("", ())
    except UnreadableError as error:
        hint = "Use documents.read for documents, tables.query for tables."
        raise ToolError("not_a_text", f"{called}: {error.what}", hint=hint) from error
    if offset and offset >= len(text):
        what = f"{called} has {len(text):,} characters; offset {offset:,} lies behind them"
        raise ToolError("behind_the_end", what, hint="Use a smaller offset.")
    part = _page(text[offset:])
    end = offset + len(part)
    following = end if end < len(text) else None
    data = {
        "name": called,
        "text": part,
        "offset": offset,
        "total": len(text),
        "next_offset": following,
        "notes": list(notes),
    }
    said = f"{called}: characters {offset:,} to {end:,} of {len(text):,}."
    summary = f"{said} Go on with offset={following}." if following else said
    if not text:
        summary = f"{called} is empty: there is nothing in it to read. See with files.list what else there is."
    return ToolResult(summary=summary, data=data, shown=data, empty=not text)


def _found(context: ToolContext, name: str) -> tuple[Path, str]:
    """The file that is meant, and what it is called: an input, `E4.2/a.md`, or `a.md`, the latest of that name."""
    inputs, made = context.input_names(), context.files()
    if name in inputs:
        return context.input(name), inputs[name]
    if name in made:
        return context.file(name), name
    alike = sorted((one for one in made if one.partition("/")[2] == name), key=lambda one: _place((one, 0)))
    if alike and len({one.partition(".")[0] for one in alike}) == 1:
        return context.file(alike[-1]), alike[-1]
    if alike:
        what = f"there are several files called `{name}`"
        raise ToolError("ambiguous_name", what, hint=f"Name one of them: {', '.join(alike[:20])}.")
    for one, filename in inputs.items():
        if filename == name:
            return context.input(one), filename
    nearest = [str(one[0]) for one in process.extract(name, [*inputs, *made], limit=10)]
    hint = f"There are: {', '.join(nearest)}." if nearest else "The run has no files."
    raise ToolError("unknown_file", f"there is no file `{name[:100]}`", hint=hint)


def _place(entry: tuple[str, int]) -> tuple[int, int, str]:
    match = _MADE.fullmatch(entry[0])
    return (int(match["subtask"]), int(match["n"]), match["name"]) if match else (0, 0, entry[0])


def _page(text: str) -> str:
    part = text[:ROOM]
    while size(part, ROOM) > ROOM:
        part = part[: len(part) * 9 // 10]
    return part
