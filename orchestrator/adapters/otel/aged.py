"""Removes files of traces that are old and hold nothing of a run that is kept."""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from orchestrator.adapters.otel.otlp_json import decode


class TraceFolder:
    """The folder that this machine's processes write their spans into."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def remove_old(self, before: datetime, keep: Collection[str]) -> int:
        """Remove files last written before that moment that hold nothing of the traces to keep; how many."""
        removed = 0
        for path in sorted(self._folder.glob("*.jsonl")):
            try:
                if path.stat().st_mtime < before.timestamp() and not _holds_any(path, keep):
                    path.unlink()
                    removed += 1
            except FileNotFoundError:
                continue  # given up by whoever writes new ones
        return removed


def _holds_any(path: Path, traces: Collection[str]) -> bool:
    with path.open("rb") as lines:
        return any(span.trace_id in traces for line in lines for span in decode(line))
