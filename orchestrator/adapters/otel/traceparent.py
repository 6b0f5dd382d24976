"""W3C traceparents: how the identity of a span is stored with a run and found again days later."""

import re

from opentelemetry.trace import (
    SpanContext,
    TraceFlags,
    format_span_id,
    format_trace_id,
)

_FORM = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")


def write(context: SpanContext) -> str:
    """The traceparent of a span."""
    flags = context.trace_flags & TraceFlags.SAMPLED
    return f"00-{format_trace_id(context.trace_id)}-{format_span_id(context.span_id)}-{flags:02x}"


def read(traceparent: str, *, is_remote: bool = True) -> SpanContext | None:
    """The span that a traceparent names; None when it is none."""
    found = _FORM.fullmatch(traceparent.strip().lower())
    if found is None:
        return None
    trace_id, span_id, flags = (int(part, 16) for part in found.groups())
    context = SpanContext(trace_id, span_id, is_remote, TraceFlags(flags & TraceFlags.SAMPLED))
    return context if context.is_valid else None


def trace_id_of(traceparent: str) -> str | None:
    """The trace's id in hexadecimal, as `read_spans` takes it."""
    context = read(traceparent)
    return None if context is None else format_trace_id(context.trace_id)
