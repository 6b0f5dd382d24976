"""No span is exported without its parent, whenever a process is killed."""

from contextlib import ExitStack

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from orchestrator.adapters.otel.memory import MemoryTelemetry
from orchestrator.adapters.otel.subtrees import HELD_LIMIT, WholeSubtrees

steps = st.lists(st.sampled_from(["open", "close"]), max_size=40)


@given(steps)
def test_at_every_moment_each_exported_span_has_its_parent(actions: list[str]) -> None:
    """Open and close spans in any nesting: whatever is out at that moment is complete, and at the end all is out."""
    telemetry = MemoryTelemetry()
    run = telemetry.new_trace()
    open_spans: list[ExitStack] = []
    opened = 0
    for action in actions:
        if action == "open":
            stack = ExitStack()
            stack.enter_context(telemetry.span(f"s{opened}", {}, None if open_spans else run))
            open_spans.append(stack)
            opened += 1
        elif open_spans:
            open_spans.pop().close()
        ids = {span.span_id for span in telemetry.spans} | {run.split("-")[2]}
        assert all(span.parent_id in ids for span in telemetry.spans)
    while open_spans:
        open_spans.pop().close()
    assert sorted(span.name for span in telemetry.spans) == sorted(f"s{n}" for n in range(opened))


def test_a_piece_of_work_holds_a_limited_number_of_spans() -> None:
    """Above the limit spans go out at once, so memory is bounded; none is lost."""
    telemetry = MemoryTelemetry()
    with telemetry.span("turn", {}, telemetry.new_trace()):
        for _ in range(HELD_LIMIT + 5):
            with telemetry.span("step", {}):
                pass
        assert len(telemetry.spans) == 5
    assert len(telemetry.spans) == HELD_LIMIT + 6


def test_nothing_is_remembered_of_finished_work() -> None:
    """After many turns the bookkeeping is empty again."""
    exporter = InMemorySpanExporter()
    subtrees = WholeSubtrees(SimpleSpanProcessor(exporter))
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(subtrees)
    tracer = provider.get_tracer("test")
    for _ in range(50):
        with tracer.start_as_current_span("turn"), tracer.start_as_current_span("step"):
            pass
        late = tracer.start_span("late")
        late.end()
    assert subtrees.remembered == 0
    assert len(exporter.get_finished_spans()) == 150
