"""The final check of a finding: its figures, quotes and sums stand in what this subtask or its inputs observed."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from orchestrator.domain.evidence import check

MOST_REASONS = 10
MOST_VALUES = 200
"""So many figures of the data are looked up; a longer list is a table, which belongs into a result."""
_CITED = re.compile(r"\[E\d+\.\d+(?:\s*,\s*E\d+\.\d+)*\]")
_FIGURE = re.compile(r"[+-]?\d+(?:\.\d+)?")
_NONE: Mapping[str, object] = {"E0.0": ""}
"""Stands for what was observed where nothing was: no observation has this number."""
NOWHERE = "{what} stands in nothing that you observed or were given. Find it out, or leave it out."


def unsupported(text: str, data: Mapping[str, Any], contents: Mapping[str, object], given: str) -> tuple[str, ...]:
    """What of a finding stands nowhere in `contents` (observations by number) or in `given`, a sentence each.

    A finding may leave out where a figure comes from, as long as it comes from somewhere: an uncited line counts as
    citing everything that was observed.
    """
    held = contents or _NONE
    everything = f"[{', '.join(held)}]"
    lines = [line if not line.strip() or _CITED.search(line) else f"{line} {everything}" for line in text.splitlines()]
    found = check("\n".join(lines), held, given=given)
    faults = [fault.mend if contents else NOWHERE.format(what=fault.written) for fault in found]
    for path, figure in _figures(data):
        if check(f"{figure} {everything}", held, given=given):
            faults.append(NOWHERE.format(what=f"`data.{path}`: {figure}"))
    return tuple(dict.fromkeys(faults))[:MOST_REASONS]


def _figures(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where figures stand in the data, and how they are written; none of a data that holds too many."""
    found = list(_inside(data, ""))
    return iter(found if len(found) <= MOST_VALUES else ())


def _inside(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[str, object]", value).items():
            yield from _inside(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for n, item in enumerate(cast("list[object]", value)):
            yield from _inside(item, f"{path}[{n}]")
    elif isinstance(value, int | float | str) and not isinstance(value, bool) and _FIGURE.fullmatch(str(value)):
        yield path, str(value)
