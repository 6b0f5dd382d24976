"""Traces in files: one a process and day, for their owner's eyes only, none above a size, the oldest given up first."""

import logging
import os
import re
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from orchestrator.adapters.otel.otlp_json import decode, encode
from orchestrator.adapters.otel.record import SpanRecord

FILE_BYTES = 32 * 1024 * 1024
FOLDER_BYTES = 512 * 1024 * 1024

_log = logging.getLogger(__name__)


class FileSpanExporter(SpanExporter):
    """Appends each batch as one line to `<day>-<service>-<pid>-<incarnation>.<part>.jsonl`.

    The file is opened for each batch: a folder that was emptied in between is no reason to write into the void.
    """

    def __init__(
        self, folder: Path, service: str, file_bytes: int = FILE_BYTES, folder_bytes: int = FOLDER_BYTES
    ) -> None:
        self._folder = folder
        self._stem = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', service)}-{os.getpid()}-{uuid4().hex[:6]}"
        self._file_bytes = file_bytes
        self._folder_bytes = folder_bytes
        self._lock = threading.Lock()
        self._day = ""
        self._part = 0
        self._failing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Append the spans; a disk that is full costs the spans and one line in the log."""
        try:
            line = encode(spans)
            with self._lock:
                self._append(line)
        except Exception as error:  # noqa: BLE001  # traces never disturb the work
            if not self._failing:
                _log.warning("traces cannot be written into %s: %s", self._folder, error)
            self._failing = True
            return SpanExportResult.FAILURE
        self._failing = False
        return SpanExportResult.SUCCESS

    def _append(self, line: bytes) -> None:
        day = datetime.now(UTC).date().isoformat()
        if day != self._day:
            self._begin(day, 1)
        if self._size() + len(line) > self._file_bytes and self._size() > 0:
            self._begin(day, self._part + 1)
        file = os.open(self._path(), os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            written = os.write(file, line)
        finally:
            os.close(file)
        if written < len(line):
            self._part += 1  # the next batch must not be glued to half a line
            raise OSError("the disk is full")

    def _begin(self, day: str, part: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._day, self._part = day, part
        give_up_oldest(self._folder, self._folder_bytes - self._file_bytes)

    def _path(self) -> Path:
        return self._folder / f"{self._day}-{self._stem}.{self._part}.jsonl"

    def _size(self) -> int:
        try:
            return self._path().stat().st_size
        except FileNotFoundError:
            return 0


def give_up_oldest(folder: Path, keep_bytes: int) -> None:
    """Delete the files that were written to longest ago until the others have at most `keep_bytes`."""
    found: list[tuple[float, int, Path]] = []
    for path in folder.glob("*.jsonl"):
        try:
            status = path.stat()
        except FileNotFoundError:
            continue  # another process does the same
        found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= keep_bytes:
            break
        path.unlink(missing_ok=True)
        total -= size


def read_spans(folder: Path, trace_id: str) -> tuple[SpanRecord, ...]:
    """The spans of a trace (32 hexadecimal digits) from all files of the folder, by their start."""
    needle = trace_id.encode()
    found: dict[str, SpanRecord] = {}
    for path in sorted(folder.glob("*.jsonl")):
        try:
            with path.open("rb") as lines:
                for line in lines:
                    if needle in line:
                        found.update((span.span_id, span) for span in decode(line) if span.trace_id == trace_id)
        except FileNotFoundError:
            continue  # given up for newer ones while we read
    return tuple(sorted(found.values(), key=lambda span: (span.start, span.end, span.span_id)))
