"""Runs untrusted Python in Monty: no host, no network, no files, limits of memory and time."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_monty import (
    CollectStreams,
    Frame,
    Monty,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySyntaxError,
)

from agents.errors import ToolError

MEMORY = 300_000_000
"""Bytes of what the code may hold."""
MOST_PRINTED = 500_000
MOST_CALLS = 2_000
"""Of functions of the host."""
MODULES = (
    "asyncio, base64, bisect, collections, copy, csv, dataclasses, datetime, decimal, functools, hashlib, itertools, "
    "json, math, random, re, time, tomllib, typing, unicodedata"
)
_GRACE = 2.0
_FENCED = re.compile(r"\s*```[a-zA-Z0-9]*[ \t]*\n(?P<code>.*?)\n?\s*```\s*", re.DOTALL)
_MOST_SAID = 400
_MOST_TAIL = 200


@dataclass(frozen=True, slots=True)
class Ran:
    """What the code came to: the value of its last expression, and what it printed."""

    value: Any
    printed: str


def run_sandboxed(code: str, functions: Mapping[str, Callable[..., Any]], seconds: float) -> Ran:
    """Run the code; `functions` are all it sees of the host. Raises ToolError."""
    ran = _outcome(code, functions, seconds)
    if isinstance(ran, ToolError):
        # Not from Monty's own error: where that tells of its limit of memory, this process seems to be at its end.
        raise ran
    return ran


def _outcome(code: str, functions: Mapping[str, Callable[..., Any]], seconds: float) -> Ran | ToolError:
    printed = CollectStreams(max_bytes=MOST_PRINTED)
    try:
        with (
            Monty(min_processes=1, max_processes=1, request_timeout=seconds + _GRACE) as pool,
            pool.checkout(
                limits={"max_memory": MEMORY, "max_feed_duration_secs": seconds, "max_suspensions": MOST_CALLS},
                os_policy={"sleep": "zero", "random_start": {"seed": 0}},
            ) as session,
        ):
            value = session.feed_run(_bare(code), external_lookup=dict(functions), print_callback=printed)
    except (MontyRuntimeError, MontySyntaxError) as error:
        return _fault(error, error.traceback(), _text(printed), functions)
    except MontyCrashedError as error:
        return ToolError("code_failed", f"the sandbox ended: {error}", hint="Do less at once.")
    except MontyError as error:
        return ToolError("code_failed", str(error)[:_MOST_SAID], hint="Use plain values.")
    except ValueError as error:
        # A whole number of more digits than Python writes; it did not get out of the sandbox.
        hint = "End with plain values: numbers, texts, lists, dicts."
        return ToolError("unstorable_result", f"the result cannot be taken over: {error}", hint=hint)
    return Ran(value, _text(printed))


def _bare(code: str) -> str:
    """The code without the fence that models put around it."""
    fenced = _FENCED.fullmatch(code)
    return fenced["code"] if fenced else code


def _text(printed: CollectStreams) -> str:
    return "".join(text for _, text in printed.output)


def _fault(
    error: MontyRuntimeError | MontySyntaxError, frames: list[Frame], printed: str, functions: Mapping[str, Any]
) -> ToolError:
    said = " ".join(error.display("type-msg").split())[:_MOST_SAID]
    over = _limit(said)
    where = ""
    if frames:
        innermost, outermost = frames[-1], frames[0]
        source = f" (`{innermost.source_line.strip()[:120]}`)" if innermost.source_line else ""
        called = f", called from line {outermost.line}" if outermost.line != innermost.line else ""
        where = f"line {innermost.line}{called}{source}: "
    tail = f". It had printed: …{printed[-_MOST_TAIL:].strip()}" if printed.strip() else ""
    what, hint = over or (said.rstrip("."), _hint(said, functions))
    return ToolError("code_failed", f"{where}{what}{tail}", hint=hint)


def _limit(said: str) -> tuple[str, str] | None:
    """Which limit of ours the code came to, and what to do; None: none."""
    if "memory limit exceeded" in said and said.endswith(f"> {MOST_PRINTED} bytes"):
        return f"more than {MOST_PRINTED:,} bytes were printed", "Print less; save() keeps a long text as a file."
    if "memory limit exceeded" in said:
        hint = "Keep less at once, or let query() group and filter."
        return f"the code held more than {MEMORY // 1_000_000} MB", hint
    if "suspension limit" in said:
        hint = "Get all rows with one query(), and loop over those."
        return f"functions of the host were called more than {MOST_CALLS:,} times", hint
    return None


def _hint(said: str, functions: Mapping[str, Any]) -> str:
    known = f"Data comes by these functions: {', '.join(functions)}."
    hints = {
        "ModuleNotFoundError": f"There are only: {MODULES}. {known}",
        "ImportError": f"There are only: {MODULES}. {known}",
        "NameError": f"Nothing is left of an earlier call. {known}",
        "PermissionError": f"The code has no files. {known}",
        "FileNotFoundError": f"The code has no files. {known}",
        "MemoryError": "Keep less at once, print less, or let query() group and filter.",
        "TimeoutError": "Let query() group, join and filter; loops over pairs of rows take long.",
        "SyntaxError": "Mend the code; some rare parts of Python are missing, so write it in a plainer way.",
        "NotImplementedError": "This part of Python is missing here: write it in a plainer way.",
    }
    return hints.get(said.partition(":")[0], "Mend the code and run all of it again: nothing is left of this call.")
