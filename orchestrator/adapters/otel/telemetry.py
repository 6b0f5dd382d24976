"""The telemetry port over the OpenTelemetry SDK; where the spans go is decided by the processor it is given."""

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from opentelemetry.context import Context, attach, detach
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    NonRecordingSpan,
    NoOpTracer,
    Span,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from orchestrator.adapters.otel.attributes import NAME_LIMIT, clean, described, text
from orchestrator.adapters.otel.record import nanoseconds
from orchestrator.adapters.otel.subtrees import WholeSubtrees
from orchestrator.adapters.otel.traceparent import read, write
from orchestrator.ports.telemetry import Attributes

FLUSH_SECONDS = 3.0
ERROR_TYPE = "error.type"
"""The convention's name for why something failed; a root span that has it is shown as failed."""

_SCOPE = "remit"
_log = logging.getLogger(__name__)


class OpenSpan:
    """A span that is open."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""
        if self._span.is_recording():
            self._span.set_attributes(clean(attributes))

    def failed(self, description: str) -> None:
        """Mark the span as an error."""
        if self._span.is_recording():
            self._span.set_status(Status(StatusCode.ERROR, text(description, 300)))


class OpenTelemetry:
    """One trace a run. The provider belongs to this object; the process-wide one is left alone."""

    def __init__(self, service: str, processor: SpanProcessor) -> None:
        self._resource = Resource({SERVICE_NAME: service}).merge(OTELResourceDetector().detect())
        self._processor = WholeSubtrees(processor)
        self._provider = TracerProvider(
            resource=self._resource,
            shutdown_on_exit=False,  # a collector that hangs must not hold up the end of the process
            span_limits=SpanLimits(max_events=0, max_links=0),
        )
        self._provider.add_span_processor(self._processor)
        self._tracer = self._provider.get_tracer(_SCOPE)
        self._flush_lock = threading.Lock()
        self._flushing: threading.Thread | None = None

    @property
    def disabled(self) -> bool:
        """True when OTEL_SDK_DISABLED says so."""
        return isinstance(self._tracer, NoOpTracer)

    def new_trace(self) -> str:
        """A new traceparent; whether the run is sampled is decided here, once for all its spans."""
        ids = self._provider.id_generator
        trace_id = ids.generate_trace_id()
        decision = self._provider.sampler.should_sample(None, trace_id, "run").decision
        flags = TraceFlags(TraceFlags.SAMPLED if decision.is_sampled() else TraceFlags.DEFAULT)
        return write(SpanContext(trace_id, ids.generate_span_id(), is_remote=False, trace_flags=flags))

    def root(self, traceparent: str, name: str, start: datetime, end: datetime, attributes: Attributes) -> None:
        """Export the root span of a run under the identity it was given by `new_trace`."""
        context = read(traceparent, is_remote=False)
        if context is None or self.disabled:
            return
        cleaned = clean(attributes)
        cause = cleaned.get(ERROR_TYPE)
        began = nanoseconds(start)
        self._processor.on_end(
            ReadableSpan(
                name=text(name, NAME_LIMIT),
                context=context,
                resource=self._resource,
                attributes=cleaned,
                status=Status(StatusCode.UNSET) if cause is None else Status(StatusCode.ERROR, str(cause)),
                start_time=began,
                end_time=max(began, nanoseconds(end)),  # the clock may have been set back meanwhile
                instrumentation_scope=InstrumentationScope(_SCOPE),
            )
        )

    @contextmanager
    def span(self, name: str, attributes: Attributes, parent: str | None = None) -> Generator[OpenSpan]:
        """A span around a piece of work; an exception that leaves it marks it as failed and goes on its way."""
        span = self._tracer.start_span(
            text(name, NAME_LIMIT),
            context=_under(parent),
            attributes=clean(attributes),
            record_exception=False,
            set_status_on_exception=False,
        )
        token = attach(set_span_in_context(span))
        opened = OpenSpan(span)
        try:
            yield opened
        except BaseException as error:
            opened.failed(described(error))
            raise
        finally:
            detach(token)
            if span.is_recording():
                span.end()

    def flush(self) -> None:
        """Export what is finished, and wait for it some seconds at most; the SDK itself would wait for ever."""
        with self._flush_lock:
            if self._flushing is None or not self._flushing.is_alive():
                self._flushing = threading.Thread(target=self._flush_all, name="traces-flush", daemon=True)
                self._flushing.start()
            flushing = self._flushing
        flushing.join(FLUSH_SECONDS)

    def close(self) -> None:
        """End what is still open as failed and flush: the last call before a process ends with work in hand."""
        self._processor.end_all("the process ended first")
        self.flush()

    def _flush_all(self) -> None:
        try:
            self._processor.force_flush()
        except Exception as error:  # noqa: BLE001  # traces never disturb the work
            _log.warning("traces were not flushed: %s", described(error))


def _under(parent: str | None) -> Context | None:
    if parent is None:
        return None
    context = read(parent)
    return Context() if context is None else set_span_in_context(NonRecordingSpan(context))
