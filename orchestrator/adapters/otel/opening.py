"""Decides where the spans of this process go."""

import logging
from pathlib import Path

from opentelemetry.sdk.trace.export import BatchSpanProcessor

from orchestrator.adapters.otel.attributes import described
from orchestrator.adapters.otel.files import FileSpanExporter
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.adapters.otel.telemetry import OpenTelemetry

QUEUE = 8192
"""Finished spans that wait for a collector at most; the oldest go first."""
BATCH = 512
FILE_DELAY_MS = 500
"""How old a finished span gets before it is written; that much of a trace is lost with a killed process."""

_log = logging.getLogger(__name__)


def open_telemetry(folder: Path, service: str, otlp: bool) -> OpenTelemetry | SilentTelemetry:
    """Spans to the collector that the OTEL_* variables name if `otlp`, else into files under `folder`.

    Nothing is thrown: a collector that cannot be used as configured is said in one line, and files take its place.
    """
    telemetry = _to_collector(service) if otlp else None
    if telemetry is None:
        telemetry = _to_files(folder, service)
    return SilentTelemetry() if telemetry.disabled else telemetry


def _to_collector(service: str) -> OpenTelemetry | None:
    # Importing the exporter takes a tenth of a second; who has no collector does not pay for it.
    try:
        from orchestrator.adapters.otel.collector import CollectorExporter  # noqa: PLC0415

        return OpenTelemetry(service, BatchSpanProcessor(CollectorExporter(), max_queue_size=QUEUE))
    except Exception as error:  # noqa: BLE001  # a misspelt variable must not keep a run from starting
        _log.warning("traces go to files, the collector's OTEL_* variables cannot be used: %s", described(error))
        return None


def _to_files(folder: Path, service: str) -> OpenTelemetry:
    exporter = FileSpanExporter(folder, service)
    processor = BatchSpanProcessor(
        exporter, max_queue_size=QUEUE, schedule_delay_millis=FILE_DELAY_MS, max_export_batch_size=BATCH
    )
    return OpenTelemetry(service, processor)
