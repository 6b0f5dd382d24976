"""Makes an observation of what a tool returned or why it failed: the whole for the store, a part for the agent."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.content import LARGEST, dumps, plain
from agents.errors import ToolError
from agents.tools.function import ToolResult
from agents.trimming import Whole, show, show_error
from orchestrator.domain.step import StepCall

NOT_BEGUN = frozenset({"no_time", "busy", "unknown_tool", "invalid_arguments"})
"""Codes of errors that say that the tool was not even started."""
_LONGEST_SUMMARY = 500


@dataclass(frozen=True, slots=True)
class Observed:
    """A call that was answered. `content`: the whole result as JSON text; `shown`: exactly what the agent reads."""

    call_id: str
    ok: bool
    summary: str
    content: str
    shown: str
    artifacts: Mapping[str, bytes]
    tool: str
    ref: str
    preview: bool = False
    """True: it shows what the call would do; nothing was done."""
    begun: bool = True
    """False: the tool was not even started."""


def succeeded(call: StepCall, ref: str, result: ToolResult, *, readable: bool = True) -> Observed:
    """The observation of a result. Raises ToolError when it cannot be stored."""
    summary = _one_line(result.summary)
    data = plain(result.data)
    content = dumps({"ok": True, "summary": summary, "data": data})
    shown = None if result.shown is None else plain(result.shown, "shown")
    whole = Whole(
        ref=ref,
        tool=call.tool,
        summary=summary,
        data=data if shown is None else shown,
        size=len(content),
        chosen=shown is not None,
        partial=shown is not None and shown != data,
        empty=result.empty,
        artifacts=tuple(f"{ref}/{name}" for name in result.artifacts),
        readable=readable,
    )
    return Observed(
        call_id=call.id,
        ok=True,
        summary=summary,
        content=content,
        shown=show(whole),
        artifacts=_files(result.artifacts),
        tool=call.tool,
        ref=ref,
    )


def failed(call: StepCall, ref: str, error: ToolError) -> Observed:
    """The observation of a call that did not succeed."""
    told: dict[str, Any] = {"code": error.code, "message": plain(error.what), "retryable": error.retryable}
    told["hint"] = plain(error.mend)
    content = json.dumps({"ok": False, "error": told}, ensure_ascii=False)
    summary = _one_line(error.what)
    return Observed(
        call_id=call.id,
        ok=False,
        summary=summary,
        content=content,
        shown=show_error(ref, call.tool, told),
        artifacts={},
        tool=call.tool,
        ref=ref,
        begun=error.code not in NOT_BEGUN,
    )


def _files(artifacts: Mapping[str, bytes]) -> dict[str, bytes]:
    files = {_file_name(name): bytes(content) for name, content in artifacts.items()}
    total = sum(len(content) for content in files.values())
    if total > LARGEST:
        what = f"the tool's files have {total:,} bytes; {LARGEST:,} can be stored"
        raise ToolError("too_large", what, hint="Ask for less at once. The same call fails again.")
    return files


def _file_name(name: str) -> str:
    plain_name = name == Path(name).name and name not in {"", ".", ".."} and "\\" not in name and name.isprintable()
    if not plain_name or len(name.encode()) > 200:
        raise ToolError("unstorable_result", f"the tool named a file {name[:80]!r}; a plain file name is needed")
    return name


def _one_line(text: str) -> str:
    line = " ".join(str(plain(text)).split())
    printable = "".join(sign if sign.isprintable() else "�" for sign in line)
    return printable if len(printable) <= _LONGEST_SUMMARY else printable[: _LONGEST_SUMMARY - 1] + "…"
