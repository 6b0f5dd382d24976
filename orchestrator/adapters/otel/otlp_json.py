"""Spans as one line of OTLP/JSON, the form that a collector's `otlpjsonfile` receiver reads, and back."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode, format_span_id, format_trace_id

from orchestrator.adapters.otel.attributes import AttributeValue, clean
from orchestrator.adapters.otel.record import SpanRecord, moment

_KINDS = {
    SpanKind.INTERNAL: 1,
    SpanKind.SERVER: 2,
    SpanKind.CLIENT: 3,
    SpanKind.PRODUCER: 4,
    SpanKind.CONSUMER: 5,
}
_STATUS = {StatusCode.UNSET: 0, StatusCode.OK: 1, StatusCode.ERROR: 2}


def encode(spans: Sequence[ReadableSpan]) -> bytes:
    """All spans in one line that ends with a newline."""
    by_resource: dict[Resource, list[dict[str, object]]] = defaultdict(list)
    for span in spans:
        by_resource[span.resource].append(_span(span))
    request = {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(clean(resource.attributes))},
                "scopeSpans": [{"scope": {"name": "remit"}, "spans": group}],
            }
            for resource, group in by_resource.items()
        ]
    }
    return orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE)


def decode(line: bytes) -> tuple[SpanRecord, ...]:
    """The spans of a line; none of a line that was cut off when its process died, or that is of another kind."""
    try:
        return tuple(_records(orjson.loads(line)))
    except (ValueError, KeyError, TypeError):
        return ()


def _records(request: Mapping[str, Any]) -> Iterator[SpanRecord]:
    for resource_spans in request["resourceSpans"]:
        resource = _values(resource_spans["resource"]["attributes"])
        service = str(resource.get(SERVICE_NAME, ""))
        for scope_spans in resource_spans["scopeSpans"]:
            for span in scope_spans["spans"]:
                yield _record(span, service)


def _span(span: ReadableSpan) -> dict[str, object]:
    context, parent = span.get_span_context(), span.parent
    assert context is not None
    encoded: dict[str, object] = {
        "traceId": format_trace_id(context.trace_id),
        "spanId": format_span_id(context.span_id),
        "name": span.name,
        "kind": _KINDS[span.kind],
        "startTimeUnixNano": str(span.start_time or 0),
        "endTimeUnixNano": str(span.end_time or 0),
        "attributes": _attributes(clean(span.attributes or {})),
    }
    if parent is not None:
        encoded["parentSpanId"] = format_span_id(parent.span_id)
    if span.status.status_code is not StatusCode.UNSET:
        encoded["status"] = {
            "code": _STATUS[span.status.status_code],
            "message": span.status.description or "",
        }
    return encoded


def _attributes(attributes: Mapping[str, AttributeValue]) -> list[dict[str, object]]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: AttributeValue) -> dict[str, object]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}  # 64 bits do not fit a JSON number, so the standard writes them as text
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}


def _record(span: Mapping[str, Any], service: str) -> SpanRecord:
    status = span.get("status", {})
    return SpanRecord(
        trace_id=span["traceId"],
        span_id=span["spanId"],
        parent_id=span.get("parentSpanId"),
        name=span["name"],
        start=moment(int(span["startTimeUnixNano"])),
        end=moment(int(span["endTimeUnixNano"])),
        attributes=_values(span["attributes"]),
        error=(status.get("message") or "failed") if status.get("code") == _STATUS[StatusCode.ERROR] else None,
        service=service,
    )


def _values(attributes: Iterable[Mapping[str, Any]]) -> dict[str, AttributeValue]:
    values: dict[str, AttributeValue] = {}
    for attribute in attributes:
        [(kind, value)] = attribute["value"].items()
        values[attribute["key"]] = int(value) if kind == "intValue" else value
    return values
