"""The tool `files.write`: a text, or what an observation holds, as a file of the run."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated, Any, cast

from pydantic import Field

from agents.content import dumps
from agents.errors import ToolError
from agents.tools.builtin.files.csv_text import NoRowsError, csv_text
from agents.tools.builtin.files.names import name_fault
from agents.tools.function import ToolContext, ToolResult, tool
from orchestrator.domain.finding import ObservationRef

_MOST_WRITTEN = 1_000_000


@tool(
    "files.write",
    effect="idempotent",
    use_when="a result belongs into a file: a report, a list, rows of an observation as CSV or JSON",
    not_when="it is an answer of a few sentences, or a tool has made the file already",
    seconds=10,
)
def write(
    context: ToolContext,
    name: Annotated[
        str, Field(min_length=1, max_length=120, description="A plain name with its ending.", examples=["report.md"])
    ],
    *,
    content: Annotated[
        str | None, Field(max_length=_MOST_WRITTEN, description="The text; left out: `rows_of` is written.")
    ] = None,
    rows_of: Annotated[
        ObservationRef | None,
        Field(description="The observation whose data is written exactly, as CSV or JSON by the name's ending."),
    ] = None,
    field: Annotated[str | None, Field(description="Which field of its data; left out: `rows`, or all of it.")] = None,
) -> ToolResult:
    """Write a file into the run; it becomes an artifact of this observation, and may be handed over with the answer."""
    fault = name_fault(name)
    if fault:
        raise ToolError(
            "invalid_name", f"`{name[:80]}` cannot be a file's name: {fault}", hint="Take one like report.md."
        )
    if (content is None) == (rows_of is None):
        hint = "Give one of them: `content` for a text, `rows_of` for what an observation holds."
        raise ToolError("invalid_arguments", "either `content` or `rows_of` is wanted", hint=hint)
    text = content if content is not None else _written(context, name, rows_of or "", field)
    try:
        body = text.encode()
    except UnicodeEncodeError as error:
        what = f"character {error.start} of the text is half a character"
        raise ToolError("invalid_arguments", what, hint="Leave it out.") from error
    summary = f"{name} is written: {len(body):,} bytes."
    return ToolResult(summary=summary, data={"file": name, "bytes": len(body)}, artifacts={name: body})


def _written(context: ToolContext, name: str, ref: str, field: str | None) -> str:
    """Data of an observation in the format that the name asks for."""
    value = _field(context.observed(ref), ref, field)
    match PurePath(name).suffix.casefold():
        case ".csv":
            try:
                return csv_text(value)
            except NoRowsError as error:
                raise ToolError(
                    "no_rows", f"{ref} cannot be CSV: {error}", hint="Name its `field`, or write .json."
                ) from error
        case ".json":
            return dumps(value) + "\n"
        case ".txt" | ".md" if isinstance(value, str):
            return value
        case _:
            what = f"`{name}` says neither .csv nor .json"
            raise ToolError("invalid_name", what, hint="Rows are written as .csv or .json, texts as .txt or .md.")


def _field(data: Any, ref: str, field: str | None) -> Any:
    fields = cast("Mapping[str, Any]", data) if isinstance(data, dict) else {}
    if field is None:
        return fields.get("rows", data)
    if field not in fields:
        known = ", ".join(f"`{name}`" for name in list(fields)[:20]) or "none"
        raise ToolError("unknown_field", f"{ref} has no field `{field[:60]}`", hint=f"It has: {known}.")
    return fields[field]
