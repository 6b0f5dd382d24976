"""Telemetry that breaks before and after the span of a whole run is exported."""

from contextlib import AbstractContextManager
from datetime import datetime

from orchestrator.ports.telemetry import Attributes, Span, Telemetry
from workers.chaos.faults import Faults


class DisturbedTelemetry:
    """The same telemetry; what a killed process had not exported yet, another one has to."""

    def __init__(self, inner: Telemetry, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def new_trace(self) -> str:
        """A new traceparent."""
        return self._inner.new_trace()

    def root(self, traceparent: str, name: str, start: datetime, end: datetime, attributes: Attributes) -> None:
        """Export the root span of a run."""
        self._faults.meet("trace.before")
        self._inner.root(traceparent, name, start, end, attributes)
        self._faults.meet("trace.after")

    def span(self, name: str, attributes: Attributes, parent: str | None = None) -> AbstractContextManager[Span]:
        """A span around a piece of work."""
        return self._inner.span(name, attributes, parent)

    def flush(self) -> None:
        """Export what is still held back."""
        self._inner.flush()

    def close(self) -> None:
        """End spans that are still open, and flush."""
        self._inner.close()
