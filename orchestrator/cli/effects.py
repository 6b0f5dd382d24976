"""What a run did to the world, as people read it."""

import json
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from orchestrator.domain.effect import EffectIntent, EffectStatus

_WORDS: dict[EffectStatus, tuple[str, str]] = {
    "intended": ("begun", "running"),
    "happened": ("happened", "done"),
    "failed": ("did not happen", "failed"),
    "unknown": ("unclear", "waiting"),
}
_LONGEST = 100


def table(effects: Sequence[EffectIntent]) -> Table:
    """A line for each effect: what became of it, who did it, and with which arguments."""
    made = Table(box=None, pad_edge=False, header_style="faint")
    for name in ("effect", "subtask", "tool"):
        made.add_column(name, no_wrap=True)
    made.add_column("arguments", overflow="fold")
    for one in effects:
        word, style = _WORDS[one.status]
        arguments = json.dumps(one.arguments, ensure_ascii=False)
        short = arguments if len(arguments) <= _LONGEST else f"{arguments[: _LONGEST - 1]}…"
        made.add_row(Text(word, style), one.subtask_id.split("/", 1)[1], Text(one.tool), Text(short, "faint"))
    return made
