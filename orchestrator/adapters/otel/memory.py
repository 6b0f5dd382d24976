"""The telemetry port in memory: the same spans as elsewhere, kept in a list, for tests and for looking at a run."""

from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from orchestrator.adapters.otel.record import SpanRecord, recorded
from orchestrator.adapters.otel.telemetry import OpenTelemetry


class MemoryTelemetry(OpenTelemetry):
    """Keeps finished spans; those of a piece of work appear when its outermost span has ended."""

    def __init__(self, service: str = "remit") -> None:
        self._exporter = InMemorySpanExporter()
        super().__init__(service, SimpleSpanProcessor(self._exporter))

    @property
    def spans(self) -> tuple[SpanRecord, ...]:
        """All finished spans in the order in which they were exported."""
        return tuple(recorded(span) for span in self._exporter.get_finished_spans())

    def clear(self) -> None:
        """Forget the spans."""
        self._exporter.clear()
