"""The tool `code.python`: runs Python over the run's data in a sandbox, for steps that no other tool takes."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from agents.content import plain
from agents.errors import ToolError
from agents.tools.builtin.code.charts import KINDS
from agents.tools.builtin.code.functions import HostFunctions
from agents.tools.builtin.code.sandbox import MODULES, run_sandboxed
from agents.tools.function import ToolContext, ToolResult, tool

SECONDS = 30.0
"""Of the code itself; what it asks of the host comes on top."""
_MOST_PRINTED_SHOWN = 2_500
_TOLD = f"""Python; the value of the last expression is the result. Numbers of tables are Decimal, dates are date.
table("name") and query("SELECT …") give rows as dicts, observed("E4.2") the data of an observation;
chart(kind, rows, x="column", y="column" or ["…"], title="…") draws (kinds: {", ".join(KINDS)});
save("name.csv", rows) or save("name.md", text) keeps a file. Modules: {MODULES}. No others, no network."""


@tool(
    "code.python",
    effect="read",
    use_when="data has to be cleaned, reshaped or computed in several steps, or a chart is wanted",
    not_when="one SQL query or another tool does it",
    seconds=120.0,
    isolated=True,
)
def python(
    context: ToolContext,
    code: Annotated[
        str,
        Field(
            min_length=1,
            max_length=20_000,
            description=_TOLD.replace("\n", " "),
            examples=['rows = table("sales")\nchart("bar", rows, x="month", y="amount", title="Sales")\nlen(rows)'],
        ),
    ],
) -> ToolResult:
    """Run Python in a sandbox over the run's data; it can compute, draw charts and keep files."""
    functions = HostFunctions(context)
    seconds = max(1.0, min(SECONDS, context.deadline.left() - 5.0))
    ran = run_sandboxed(code, functions.named(), seconds)
    names = sorted(functions.files)
    data = {"result": _storable(ran.value), "printed": ran.printed, "files": names}
    empty = ran.value is None and not ran.printed.strip() and not functions.files
    return ToolResult(
        summary=_summary(data),
        data=data,
        shown=_shown(data),
        artifacts=functions.files,
        empty=empty,
    )


def _storable(value: Any) -> Any:
    try:
        return plain(value, "result")
    except ToolError as error:
        hint = "End with plain values: numbers, texts, lists, dicts; None instead of NaN."
        raise ToolError("unstorable_result", error.what, hint=hint) from error


def _summary(data: Mapping[str, Any]) -> str:
    result, printed, files = data["result"], data["printed"].strip(), data["files"]
    if result is None and not printed and not files:
        return "The code ran and gave nothing back: end it with an expression, or print()."
    parts: list[str] = []
    if result is not None:
        parts.append(f"result: {_short(result)}")
    elif printed:
        parts.append(f"printed: {_short(printed)}")
    if files:
        parts.append(f"files: {', '.join(files)}")
    return "; ".join(parts)[:1].upper() + "; ".join(parts)[1:]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else text[:199] + "…"


def _shown(data: dict[str, Any]) -> dict[str, Any]:
    printed = data["printed"]
    if len(printed) > _MOST_PRINTED_SHOWN:
        half = _MOST_PRINTED_SHOWN // 2
        printed = f"{printed[:half]}\n… {len(printed) - 2 * half:,} characters …\n{printed[-half:]}"
    shown = {"result": data["result"], "printed": printed, "files": data["files"]}
    return {name: value for name, value in shown.items() if value not in ("", [], None)} or shown
