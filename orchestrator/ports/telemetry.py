"""The port of traces: one trace a run, across processes and days, by W3C traceparents that are stored with the run."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

Attributes = Mapping[str, str | int | float | bool]


class Span(Protocol):
    """A span that is open."""

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""
        ...

    def failed(self, description: str) -> None:
        """Mark the span as an error."""
        ...


class Telemetry(Protocol):
    """Opens spans. Never raises and never blocks the work: a collector that is away costs spans, not runs."""

    def new_trace(self) -> str:
        """A new traceparent: the identity of a run's root span, which is exported when the run ends."""
        ...

    def root(self, traceparent: str, name: str, start: datetime, end: datetime, attributes: Attributes) -> None:
        """Export the root span of a run under the identity it was given by `new_trace`."""
        ...

    def span(self, name: str, attributes: Attributes, parent: str | None = None) -> AbstractContextManager[Span]:
        """A span around a piece of work, under `parent` (a traceparent) or the span open in this context."""
        ...

    def flush(self) -> None:
        """Export what is still held back, within a few seconds."""
        ...

    def close(self) -> None:
        """End spans that are still open as failed, and flush. The last call of a process."""
        ...
