"""The judge of traces: every span of a run stands in its trace and has its parent, and there is one root."""

from collections.abc import Sequence
from pathlib import Path

from orchestrator.adapters.otel.otlp_json import decode
from orchestrator.adapters.otel.record import SpanRecord
from orchestrator.domain.run import Run


def broken_trace(spans: Sequence[SpanRecord], run: Run) -> Sequence[str]:
    """One line for whatever is wrong with the trace of a run that has ended."""
    _, trace_id, root_id, _ = run.trace.split("-")
    own = [one for one in spans if one.trace_id == trace_id]
    strays = {one.trace_id for one in spans if one.attributes.get("remit.run") == run.id} - {trace_id}
    known = {root_id, *(one.span_id for one in own)}
    orphans = [one.name for one in own if one.span_id != root_id and one.parent_id not in known]
    # Who died between exporting it and noting that has it exported once more, under the same id.
    roots = {one.span_id for one in own if one.parent_id is None}
    others = len(roots - {root_id})
    return [
        *(f"spans of it stand in another trace: {trace}" for trace in sorted(strays)),
        *(f"a span of its trace has no parent: {name}" for name in orphans),
        *([f"its trace has {others} other roots"] if others else []),
        *([] if root_id in roots else ["the root span of its trace was never written"]),
    ]


def without_root(spans: Sequence[SpanRecord], runs: Sequence[Run]) -> Sequence[Run]:
    """Those of the runs whose root span nobody has written yet."""
    written = {one.span_id for one in spans}
    return [run for run in runs if run.trace.split("-")[2] not in written]


def spans_in(folder: Path) -> Sequence[SpanRecord]:
    """Every span that was written; what a killed process had not written yet is lost."""
    lines = (line for path in sorted(folder.glob("*.jsonl")) for line in path.read_bytes().splitlines())
    return [span for line in lines for span in decode(line)]
