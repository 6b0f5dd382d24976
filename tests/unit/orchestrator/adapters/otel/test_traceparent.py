"""How a span's identity is written down and read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import SpanContext, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from orchestrator.adapters.otel.traceparent import read, trace_id_of, write

contexts = st.builds(
    SpanContext,
    trace_id=st.integers(1, 2**128 - 1),
    span_id=st.integers(1, 2**64 - 1),
    is_remote=st.sampled_from([True]),
    trace_flags=st.builds(TraceFlags, st.integers(0, 1)),
)


@given(contexts)
def test_what_is_written_is_read_again(context: SpanContext) -> None:
    """Trace id, span id and whether it is sampled survive being stored."""
    assert read(write(context)) == context


@given(contexts)
def test_other_tools_read_it_too(context: SpanContext) -> None:
    """The standard propagator finds the same trace in it."""
    carrier = {"traceparent": write(context)}
    extracted = TraceContextTextMapPropagator().extract(carrier)
    (span,) = extracted.values()
    assert span.get_span_context() == context  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "00",
        f"00-{'0' * 32}-{'1' * 16}-01",
        f"00-{'1' * 32}-{'0' * 16}-01",
        f"ff-{'1' * 32}-{'1' * 16}-01",
        f"00-{'g' * 32}-{'1' * 16}-01",
        f"00-{'1' * 31}-{'1' * 16}-01",
    ],
)
def test_what_is_no_traceparent_is_read_as_none(bad: str) -> None:
    """Zero ids, forbidden versions and wrong lengths are no identity."""
    assert read(bad) is None
    assert trace_id_of(bad) is None


def test_the_trace_id_is_its_second_part() -> None:
    """As `read_spans` takes it."""
    assert trace_id_of(f"00-{'ab' * 16}-{'cd' * 8}-01") == "ab" * 16
