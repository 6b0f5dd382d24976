"""What is looked for in the trace of a run after a round: its own spans, each with its parent, and one root."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrator.adapters.otel.record import SpanRecord
from orchestrator.domain.goal import Goal
from orchestrator.domain.run import Run, TeamRules
from workers.proof.traces import broken_trace, spans_in, without_root

TRACE, ROOT = "a" * 32, "b" * 16
AT = datetime(2026, 1, 1, tzinfo=UTC)
RUN = Run(
    id="r1",
    tenant="t",
    goal=Goal(text="Go."),
    rules=TeamRules(team="x", specialists=("y",)),
    team_blob="none",
    status="done",
    trace=f"00-{TRACE}-{ROOT}-01",
    created_at=AT,
)


def span(id_: str, parent: str | None, trace: str = TRACE) -> SpanRecord:
    """A span of the run."""
    return SpanRecord(
        trace_id=trace,
        span_id=id_,
        parent_id=parent,
        name=f"span {id_}",
        start=AT,
        end=AT,
        attributes={"remit.run": "r1"},
        error=None,
        service="s",
    )


WHOLE = [span(ROOT, None), span("turn", ROOT), span("call", "turn")]


@pytest.mark.parametrize(
    ("spans", "broken"),
    [
        (WHOLE, []),
        ([*WHOLE, span(ROOT, None)], []),
        (WHOLE[1:], ["the root span of its trace was never written"]),
        (
            [*WHOLE, span("second", None)],
            ["a span of its trace has no parent: span second", "its trace has 1 other roots"],
        ),
        ([*WHOLE, span("lost", "gone")], ["a span of its trace has no parent: span lost"]),
        ([*WHOLE, span("stray", ROOT, "c" * 32)], [f"spans of it stand in another trace: {'c' * 32}"]),
        ([*WHOLE, span("other", None, "d" * 32)], [f"spans of it stand in another trace: {'d' * 32}"]),
    ],
)
def test_one_trace(spans: list[SpanRecord], broken: list[str]) -> None:
    """The root may be written twice under its id, by whoever could not know that it was; nothing else may be odd."""
    assert broken_trace(spans, RUN) == broken


def test_whose_root_is_not_written() -> None:
    """Spans below it do not stand for it."""
    assert without_root(WHOLE, [RUN]) == []
    assert without_root(WHOLE[1:], [RUN]) == [RUN]
    assert without_root([], []) == []


def test_a_folder_without_traces(tmp_path: Path) -> None:
    """Nothing was written, and a line that was cut off with its process counts for nothing."""
    assert spans_in(tmp_path / "none") == []
    (tmp_path / "1.jsonl").write_bytes(b'{"resourceSpans": [')
    assert spans_in(tmp_path) == []
