"""What every adapter of the telemetry port does that exports at all."""

import math
import threading
from collections.abc import Sequence
from contextvars import Context, copy_context
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from orchestrator.adapters.otel.record import SpanRecord

MONDAY = datetime(2026, 3, 2, 8, 0, 0, 123456, tzinfo=UTC)


def by_name(spans: "Sequence[SpanRecord]") -> "dict[str, SpanRecord]":
    """The spans by their names, which the tests make unique."""
    named = {span.name: span for span in spans}
    assert len(named) == len(spans)
    return named


def assert_no_orphan(spans: "Sequence[SpanRecord]") -> None:
    """Each span's parent is there; one span has none."""
    ids = {span.span_id for span in spans}
    assert [span.name for span in spans if span.parent_id is None] == ["run"]
    assert [span.name for span in spans if span.parent_id is not None and span.parent_id not in ids] == []


def test_the_root_span_has_the_identity_that_was_given_out_before(traced: Any) -> None:
    """`root` exports trace id, span id and both moments exactly as stored."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    telemetry.root(traceparent, "run", MONDAY, MONDAY + timedelta(days=3, microseconds=1), {"remit.run": "r1"})
    (root,) = traced.spans(traceparent)
    assert f"00-{root.trace_id}-{root.span_id}-01" == traceparent
    assert (root.name, root.parent_id, root.service, root.error) == ("run", None, "remit-test", None)
    assert (root.start, root.end) == (MONDAY, MONDAY + timedelta(days=3, microseconds=1))
    assert dict(root.attributes) == {"remit.run": "r1"}


def test_traces_are_distinct(traced: Any) -> None:
    """Two runs never share an identity."""
    telemetry = traced.process()
    assert len({telemetry.new_trace() for _ in range(200)}) == 200


def test_one_run_is_one_trace_across_processes_and_days(traced: Any) -> None:
    """Spans of several processes hang under the stored traceparent, and no span lacks its parent."""
    first, second = traced.process(), traced.process()
    traceparent = first.new_trace()
    with first.span("turn 1", {}, traceparent), first.span("step 1", {}):
        pass
    with second.span("turn 2", {}, traceparent):
        with second.span("step 2", {}), second.span("call", {}):
            pass
        with second.span("step 3", {}):
            pass
    second.root(traceparent, "run", MONDAY, MONDAY + timedelta(days=3), {})
    spans = traced.spans(traceparent)
    assert_no_orphan(spans)
    named = by_name(spans)
    assert named["turn 1"].parent_id == named["turn 2"].parent_id == named["run"].span_id
    assert named["step 1"].parent_id == named["turn 1"].span_id
    assert named["call"].parent_id == named["step 2"].span_id
    assert named["step 2"].parent_id == named["step 3"].parent_id == named["turn 2"].span_id


def test_nothing_of_an_unfinished_turn_is_exported(traced: Any) -> None:
    """A process killed in the middle of a turn leaves no step without its turn."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    telemetry.root(traceparent, "run", MONDAY, MONDAY, {})
    turn = telemetry.span("turn", {}, traceparent)
    turn.__enter__()
    with telemetry.span("step", {}):
        pass
    assert [span.name for span in traced.spans(traceparent)] == ["run"]
    turn.__exit__(None, None, None)
    assert sorted(by_name(traced.spans(traceparent))) == ["run", "step", "turn"]


def test_close_ends_what_is_open_as_failed(traced: Any) -> None:
    """A turn that is given up at the end of its process is in the trace, and says so."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    telemetry.root(traceparent, "run", MONDAY, MONDAY, {})
    turn, step = telemetry.span("turn", {}, traceparent), telemetry.span("step", {})
    turn.__enter__()
    step.__enter__()
    telemetry.close()
    spans = traced.spans(traceparent)
    assert_no_orphan(spans)
    assert {span.name: span.error for span in spans} == {
        "run": None,
        "turn": "the process ended first",
        "step": "the process ended first",
    }
    step.__exit__(None, None, None)
    turn.__exit__(None, None, None)
    assert len(traced.spans(traceparent)) == 3


def test_a_span_does_not_leak_into_what_follows_it(traced: Any) -> None:
    """After the block a span without a parent begins a trace of its own."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    with telemetry.span("turn", {}, traceparent):
        pass
    with telemetry.span("after", {}):
        pass
    assert [span.name for span in traced.spans(traceparent)] == ["turn"]


def test_a_given_parent_wins_over_the_open_span(traced: Any) -> None:
    """Work for another run, done inside a span of this one, belongs to the other run."""
    telemetry = traced.process()
    mine, other = telemetry.new_trace(), telemetry.new_trace()
    with telemetry.span("mine", {}, mine), telemetry.span("other", {}, other):
        pass
    assert [span.name for span in traced.spans(mine)] == ["mine"]
    (span,) = traced.spans(other)
    assert span.parent_id == other.split("-")[2]


def test_threads_see_the_span_of_the_context_they_run_in(traced: Any) -> None:
    """A copied context carries the open span into a thread; an empty one does not."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()

    def call(name: str) -> None:
        with telemetry.span(name, {}):
            pass

    with telemetry.span("turn", {}, traceparent):
        for context, name in ((copy_context(), "inside"), (Context(), "outside")):
            thread = threading.Thread(target=context.run, args=(call, name))
            thread.start()
            thread.join()
    named = by_name(traced.spans(traceparent))
    assert sorted(named) == ["inside", "turn"]
    assert named["inside"].parent_id == named["turn"].span_id


def test_what_a_late_thread_finishes_is_exported_too(traced: Any) -> None:
    """A tool that outlives its turn is under the turn, which was exported before it."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    telemetry.root(traceparent, "run", MONDAY, MONDAY, {})
    with telemetry.span("turn", {}, traceparent):
        late = telemetry.span("late", {})
        copy_context().run(late.__enter__)
    late.__exit__(None, None, None)
    spans = traced.spans(traceparent)
    assert_no_orphan(spans)
    assert sorted(by_name(spans)) == ["late", "run", "turn"]


def test_an_exception_marks_the_span_and_goes_on_its_way(traced: Any) -> None:
    """The block's own exception comes out, and the span says what it was in one line."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    error = ValueError("two\nlines")
    with pytest.raises(ValueError, match="two") as caught, telemetry.span("turn", {}, traceparent):
        raise error
    assert caught.value is error
    (span,) = traced.spans(traceparent)
    assert span.error == "ValueError: two lines"


def test_a_span_can_be_marked_as_failed_without_an_exception(traced: Any) -> None:
    """`failed` keeps the description, cut to a line's length."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    with telemetry.span("turn", {}, traceparent) as span:
        span.failed("no model answered" + "!" * 1000)
    (exported,) = traced.spans(traceparent)
    assert exported.error is not None
    assert exported.error.startswith("no model answered!")
    assert len(exported.error) == 300


def test_a_run_with_an_error_type_is_shown_as_failed(traced: Any) -> None:
    """The root span takes its status from the convention's attribute."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    telemetry.root(traceparent, "run", MONDAY, MONDAY, {"error.type": "limit"})
    (root,) = traced.spans(traceparent)
    assert root.error == "limit"


def test_attributes_keep_their_type_and_value(traced: Any) -> None:
    """Text, whole numbers, fractions and truth values arrive as they were given, first and later ones."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    with telemetry.span("turn", {"text": "银行对账", "whole": 2**63 - 1}, traceparent) as span:
        span.set({"fraction": 0.1, "truth": True, "whole": -7})
    (exported,) = traced.spans(traceparent)
    assert dict(exported.attributes) == {"text": "银行对账", "whole": -7, "fraction": 0.1, "truth": True}
    assert isinstance(exported.attributes["truth"], bool)


def test_values_that_would_spoil_a_batch_are_refused_by_name(traced: Any) -> None:
    """NaN, infinity and foreign types are left out, and which they were is said."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    bad: dict[str, Any] = {"cost": math.nan, "rate": -math.inf, "amount": Decimal("1.5"), "ok": 1}
    with telemetry.span("turn", bad, traceparent):
        pass
    (exported,) = traced.spans(traceparent)
    assert dict(exported.attributes) == {"ok": 1, "remit.refused": "cost: nan; rate: -inf; amount: Decimal"}


def test_text_is_capped_and_made_encodable(traced: Any) -> None:
    """Endless text, lone surrogates and integers above 64 bits do not cost the batch."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    with telemetry.span("n" * 500, {"long": "x" * 100_000, "half": "a\ud800b", "big": 2**64}, traceparent):
        pass
    (exported,) = traced.spans(traceparent)
    assert exported.name == "n" * 199 + "…"
    assert dict(exported.attributes) == {"long": "x" * 3999 + "…", "half": "a?b", "big": "0x10000000000000000"}


def test_a_clock_set_back_gives_no_negative_duration(traced: Any) -> None:
    """A root that seems to end before it began ends when it began."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    telemetry.root(traceparent, "run", MONDAY, MONDAY - timedelta(hours=1), {})
    (root,) = traced.spans(traceparent)
    assert root.start == root.end == MONDAY


@pytest.mark.parametrize("bad", ["", "nonsense", "00-0-0-01", f"00-{'0' * 32}-{'0' * 16}-01", "ff-" + "1" * 50])
def test_a_damaged_traceparent_is_no_reason_to_fail(traced: Any, bad: str) -> None:
    """The work is done all the same, in a trace of its own, and a root without identity is left out."""
    telemetry = traced.process()
    done: list[str] = []
    with telemetry.span("turn", {}, bad):
        done.append("turn")
    telemetry.root(bad, "run", MONDAY, MONDAY, {})
    telemetry.flush()
    assert done == ["turn"]


def test_a_run_that_is_not_sampled_leaves_nothing(traced: Any) -> None:
    """Whether a run is traced is decided once: no part of one that is not appears."""
    telemetry = traced.process()
    traceparent = telemetry.new_trace().removesuffix("01") + "00"
    with telemetry.span("turn", {"a": 1}, traceparent) as span:
        span.set({"b": 2})
        span.failed("no")
        with telemetry.span("step", {}):
            pass
    telemetry.root(traceparent, "run", MONDAY, MONDAY, {})
    assert traced.spans(traceparent) == []


def test_the_sampler_of_the_standard_variables_decides(traced: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """OTEL_TRACES_SAMPLER=always_off gives traceparents that say so."""
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    assert traced.process().new_trace().endswith("-00")


def test_the_service_name_of_the_standard_variables_wins(traced: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """OTEL_SERVICE_NAME says what the service is called."""
    monkeypatch.setenv("OTEL_SERVICE_NAME", "books")
    telemetry = traced.process()
    traceparent = telemetry.new_trace()
    telemetry.root(traceparent, "run", MONDAY, MONDAY, {})
    assert [span.service for span in traced.spans(traceparent)] == ["books"]


def test_many_threads_trace_at_once(traced: Any) -> None:
    """Nothing is lost or mixed up when turns run side by side."""
    telemetry = traced.process()
    parents = [telemetry.new_trace() for _ in range(8)]

    def turn(traceparent: str) -> None:
        for n in range(10):
            with telemetry.span(f"turn {n}", {}, traceparent), telemetry.span(f"step {n}", {}):
                pass
        telemetry.root(traceparent, "run", MONDAY, MONDAY, {})

    threads = [threading.Thread(target=turn, args=(traceparent,)) for traceparent in parents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for traceparent in parents:
        spans = traced.spans(traceparent)
        assert_no_orphan(spans)
        assert len(by_name(spans)) == 21
