"""Holds finished spans back until the whole piece of work they belong to is finished, so that none loses its parent."""

import threading

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import Status, StatusCode

HELD_LIMIT = 5_000
"""Spans held for one piece of work; what comes above goes out at once."""


class WholeSubtrees(SpanProcessor):
    """Passes spans on to `inner` when the outermost span of this process above them ends.

    A process that is killed in the middle of a turn would otherwise leave the steps of the turn in the trace, and
    the turn itself, which had not ended, missing above them.
    """

    def __init__(self, inner: SpanProcessor) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._top_of: dict[int, int] = {}
        """The id of the outermost span by the id of each open span."""
        self._held: dict[int, list[ReadableSpan]] = {}
        """Finished spans by the id of the outermost one, which is still open."""
        self._open: dict[int, Span] = {}

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Remember whose work the span is."""
        del parent_context
        span_id = span.get_span_context().span_id
        parent = span.parent
        with self._lock:
            self._open[span_id] = span
            above = None if parent is None or parent.is_remote else self._top_of.get(parent.span_id)
            self._top_of[span_id] = span_id if above is None else above
            if above is None:
                self._held[span_id] = []

    def on_end(self, span: ReadableSpan) -> None:
        """Hold the span, or pass it on with all that waited for it."""
        context = span.get_span_context()
        assert context is not None
        for finished in self._released(context.span_id, span):
            self._inner.on_end(finished)

    @property
    def remembered(self) -> int:
        """How much is kept in mind of unfinished work."""
        with self._lock:
            return len(self._top_of) + len(self._held) + len(self._open)

    def end_all(self, why: str) -> None:
        """End what is still open as failed, innermost first."""
        with self._lock:
            spans = sorted(self._open.values(), key=lambda span: span.start_time or 0, reverse=True)
        for span in spans:
            end_as_failed(span, why)

    def shutdown(self) -> None:
        """Nothing is ended here; see `end_all`."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Export what was passed on."""
        return self._inner.force_flush(timeout_millis)

    def _released(self, span_id: int, span: ReadableSpan) -> list[ReadableSpan]:
        with self._lock:
            self._open.pop(span_id, None)
            top = self._top_of.pop(span_id, span_id)
            if top == span_id:
                return [*self._held.pop(span_id, ()), span]
            held = self._held.get(top)
            if held is None or len(held) >= HELD_LIMIT:
                return [span]  # what it belongs to has ended before it
            held.append(span)
            return []


def end_as_failed(span: Span, why: str) -> None:
    """End a span that nobody else will."""
    if span.is_recording():
        span.set_status(Status(StatusCode.ERROR, why))
        span.end()
