"""Telemetry on each adapter that exports, with a way to see what came out at the other end."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from orchestrator.adapters.otel.attributes import AttributeValue
from orchestrator.adapters.otel.files import read_spans
from orchestrator.adapters.otel.memory import MemoryTelemetry
from orchestrator.adapters.otel.opening import open_telemetry
from orchestrator.adapters.otel.record import SpanRecord, moment
from orchestrator.adapters.otel.traceparent import trace_id_of
from orchestrator.ports.telemetry import Telemetry


class Closable(Telemetry, Protocol):
    """Telemetry that can say good-bye."""

    def close(self) -> None:
        """End what is open."""
        ...


@dataclass(frozen=True)
class Traced:
    """`open` gives the telemetry of one more process; `spans` what of a trace has arrived after a flush of all."""

    open: Callable[[], Closable]
    arrived: Callable[[str], Sequence[SpanRecord]]
    opened: list[Closable] = field(default_factory=list[Closable])

    def process(self) -> Closable:
        """The telemetry of one more process."""
        telemetry = self.open()
        self.opened.append(telemetry)
        return telemetry

    def spans(self, traceparent: str) -> Sequence[SpanRecord]:
        """The spans of the trace, by their start."""
        for telemetry in self.opened:
            telemetry.flush()
        trace_id = trace_id_of(traceparent)
        assert trace_id is not None
        return sorted(self.arrived(trace_id), key=lambda span: span.start)


class Receiver(BaseHTTPRequestHandler):
    """Takes one request."""

    collector: "Collector"

    def do_POST(self) -> None:
        """Keep the spans."""
        self.collector.keep(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        """Say nothing."""


class Collector:
    """An OTLP/HTTP collector that keeps what it is sent."""

    def __init__(self) -> None:
        self.spans: list[SpanRecord] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Mine", (Receiver,), {"collector": self}))
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def keep(self, body: bytes) -> None:
        """Keep the spans of a request."""
        with self.lock:
            self.spans.extend(_records(body))

    @property
    def url(self) -> str:
        """Its base address."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        """Stop listening."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def _records(body: bytes) -> Iterator[SpanRecord]:
    request = ExportTraceServiceRequest.FromString(body)
    for resource_spans in request.resource_spans:
        said = {item.key: item.value.string_value for item in resource_spans.resource.attributes}
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                attributes: dict[str, AttributeValue] = {}
                for item in span.attributes:
                    attributes[item.key] = getattr(item.value, str(item.value.WhichOneof("value")))
                yield SpanRecord(
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    parent_id=span.parent_span_id.hex() or None,
                    name=span.name,
                    start=moment(span.start_time_unix_nano),
                    end=moment(span.end_time_unix_nano),
                    attributes=attributes,
                    error=(span.status.message or "failed") if span.status.code == 2 else None,
                    service=said["service.name"],
                )


def _in_memory() -> Traced:
    kept: list[MemoryTelemetry] = []

    def opened() -> Closable:
        kept.append(MemoryTelemetry("remit-test"))
        return kept[-1]

    return Traced(opened, lambda trace_id: [s for t in kept for s in t.spans if s.trace_id == trace_id])


@pytest.fixture(params=["memory", "file", "collector"])
def traced(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Traced]:
    """Each adapter in turn."""
    if request.param == "memory":
        yield _in_memory()
    elif request.param == "file":
        folder = tmp_path / "traces"
        yield Traced(
            lambda: open_telemetry(folder, "remit-test", False),  # noqa: FBT003  # the port's own signature
            lambda trace_id: read_spans(folder, trace_id),
        )
    else:
        collector = Collector()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        yield Traced(
            lambda: open_telemetry(tmp_path, "remit-test", True),  # noqa: FBT003  # the port's own signature
            lambda trace_id: [span for span in collector.spans if span.trace_id == trace_id],
        )
        collector.close()
