"""Spans to a collector over OTLP/HTTP; where it is and how it is reached say the standard OTEL_* variables."""

import logging
import time
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

SAY_AGAIN_SECONDS = 60.0

_log = logging.getLogger(__name__)


class CollectorExporter(SpanExporter):
    """Says once a minute in one line what the SDK would say for each batch, in part with a traceback."""

    def __init__(self) -> None:
        self._exporter = OTLPSpanExporter()
        self._said_at: float | None = None
        self._lost = 0
        for name in ("opentelemetry.exporter", "opentelemetry.sdk._shared_internal"):
            logging.getLogger(name).setLevel(logging.CRITICAL)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans; those that the collector does not take are lost."""
        try:
            result = self._exporter.export(spans)
        except Exception as error:  # noqa: BLE001  # traces never disturb the work
            _log.debug("exporting spans failed", exc_info=error)
            result = SpanExportResult.FAILURE
        if result is not SpanExportResult.SUCCESS:
            self._say(len(spans))
        return result

    def shutdown(self) -> None:
        """Stop trying again."""
        self._exporter.shutdown()

    def _say(self, lost: int) -> None:
        self._lost += lost
        now = time.monotonic()
        if self._said_at is None or now - self._said_at > SAY_AGAIN_SECONDS:
            _log.warning("the collector of OTEL_EXPORTER_OTLP_ENDPOINT did not take %d spans", self._lost)
            self._said_at, self._lost = now, 0
