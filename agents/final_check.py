"""The final check of a finding: its figures, quotes and sums stand in what this subtask or its inputs observed."""

import re
from collections.abc import Mapping

from orchestrator.domain.evidence import check

MOST_REASONS = 10
_CITED = re.compile(r"\[E\d+\.\d+(?:\s*,\s*E\d+\.\d+)*\]")


def unsupported(text: str, contents: Mapping[str, object], given: str) -> tuple[str, ...]:
    """What of `text` stands nowhere in `contents` (observations by number) or in `given`, a sentence each.

    A finding may leave out where a figure comes from, as long as it comes from somewhere: an uncited line counts as
    citing everything that was observed.
    """
    if not contents:
        return ()
    everything = f"[{', '.join(contents)}]"
    lines = [line if not line.strip() or _CITED.search(line) else f"{line} {everything}" for line in text.splitlines()]
    faults = check("\n".join(lines), contents, given=given)
    return tuple(fault.mend for fault in faults)[:MOST_REASONS]
