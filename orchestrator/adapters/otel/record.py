"""A finished span as data, the same whether it comes from memory or was read from a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from opentelemetry.sdk.resources import SERVICE_NAME
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode, format_span_id, format_trace_id

from orchestrator.adapters.otel.attributes import AttributeValue, clean

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """Ids are in hexadecimal; `error` is why the span failed, None if it did not."""

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: datetime
    end: datetime
    attributes: Mapping[str, AttributeValue]
    error: str | None
    service: str


def recorded(span: ReadableSpan) -> SpanRecord:
    """The SDK's span as ours."""
    context, parent = span.get_span_context(), span.parent
    assert context is not None
    failed = span.status.status_code is StatusCode.ERROR
    return SpanRecord(
        trace_id=format_trace_id(context.trace_id),
        span_id=format_span_id(context.span_id),
        parent_id=None if parent is None else format_span_id(parent.span_id),
        name=span.name,
        start=moment(span.start_time or 0),
        end=moment(span.end_time or 0),
        attributes=clean(span.attributes or {}),
        error=(span.status.description or "failed") if failed else None,
        service=str(span.resource.attributes.get(SERVICE_NAME, "")),
    )


def nanoseconds(at: datetime) -> int:
    """Since 1970, exactly; a moment without a zone is taken as UTC."""
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND * 1000


def moment(at: int) -> datetime:
    """The moment that many nanoseconds after 1970 began, to the microsecond."""
    return _EPOCH + at // 1000 * _MICROSECOND
