"""Traces in files: who may read them, how large they grow, and what of a damaged file is still read."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import SpanContext, TraceFlags

from orchestrator.adapters.otel.files import FileSpanExporter, give_up_oldest, read_spans
from orchestrator.adapters.otel.record import moment, nanoseconds

TRACE = 0xA1B2C3D4E5F60718293A4B5C6D7E8F90
AT = datetime(2026, 3, 2, tzinfo=UTC)


def span_of(n: int, trace: int = TRACE, text: str = "") -> ReadableSpan:
    """The n-th span of a trace, one second after the one before."""
    context = SpanContext(trace, n, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    start = nanoseconds(AT + timedelta(seconds=n))
    return ReadableSpan(
        name=f"span {n}",
        context=context,
        resource=Resource({"service.name": "remit"}),
        attributes={"text": text},
        start_time=start,
        end_time=start + 1000,
    )


def test_only_the_owner_can_read_traces(tmp_path: Path) -> None:
    """The folder and the file are private whatever the umask says; the file is named after day, service and process."""
    before = os.umask(0)
    try:
        FileSpanExporter(tmp_path / "traces", "remit worker/1").export([span_of(1)])
    finally:
        os.umask(before)
    (file,) = (tmp_path / "traces").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "traces").stat().st_mode) == 0o700
    assert file.name.startswith(f"{datetime.now(UTC).date()}-remit-worker-1-{os.getpid()}-")


def test_nothing_is_created_before_there_is_a_span(tmp_path: Path) -> None:
    """A command that traces nothing leaves nothing behind."""
    FileSpanExporter(tmp_path / "traces", "remit")
    assert not (tmp_path / "traces").exists()


def test_spans_come_back_by_trace_in_order(tmp_path: Path) -> None:
    """Spans of other traces in the same and in other files are left out."""
    first, second = FileSpanExporter(tmp_path, "a"), FileSpanExporter(tmp_path, "b")
    first.export([span_of(3), span_of(9, trace=77)])
    second.export([span_of(1)])
    first.export([span_of(2)])
    spans = read_spans(tmp_path, f"{TRACE:032x}")
    assert [span.name for span in spans] == ["span 1", "span 2", "span 3"]
    assert spans[0].start == AT + timedelta(seconds=1)
    assert spans[0].service == "remit"
    assert len(list(tmp_path.iterdir())) == 2


def test_lines_are_what_a_collector_reads(tmp_path: Path) -> None:
    """One line is one OTLP/JSON request: hexadecimal ids, 64-bit numbers as text, the resource beside its spans."""
    FileSpanExporter(tmp_path, "a").export([span_of(5, text="x")])
    (file,) = tmp_path.iterdir()
    (line,) = file.read_bytes().splitlines()
    start = nanoseconds(AT + timedelta(seconds=5))
    assert orjson.loads(line) == {
        "resourceSpans": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "remit"}}]},
                "scopeSpans": [
                    {
                        "scope": {"name": "remit"},
                        "spans": [
                            {
                                "traceId": f"{TRACE:032x}",
                                "spanId": "0000000000000005",
                                "name": "span 5",
                                "kind": 1,
                                "startTimeUnixNano": str(start),
                                "endTimeUnixNano": str(start + 1000),
                                "attributes": [{"key": "text", "value": {"stringValue": "x"}}],
                            }
                        ],
                    }
                ],
            }
        ]
    }


def test_a_line_cut_off_by_a_kill_costs_only_itself(tmp_path: Path) -> None:
    """Half a line, an empty line, binary rubbish and foreign JSON are passed over."""
    exporter = FileSpanExporter(tmp_path, "a")
    exporter.export([span_of(1)])
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    trace_id = f"{TRACE:032x}"
    foreign = f'{{"resourceSpans": [{{"traceId": "{trace_id}"}}]}}\n["{trace_id}"]\n'.encode()
    file.write_bytes(whole + b"\n\xff\xfe\n" + foreign + whole[:-9])
    assert [span.name for span in read_spans(tmp_path, trace_id)] == ["span 1"]


def test_a_span_written_twice_is_read_once(tmp_path: Path) -> None:
    """A root that two processes exported is one span."""
    exporter = FileSpanExporter(tmp_path, "a")
    exporter.export([span_of(1)])
    exporter.export([span_of(1)])
    assert len(read_spans(tmp_path, f"{TRACE:032x}")) == 1


def test_no_file_grows_above_its_size(tmp_path: Path) -> None:
    """A full file is followed by a further part, and all spans are still found."""
    exporter = FileSpanExporter(tmp_path, "a", file_bytes=5000, folder_bytes=10**9)
    for n in range(1, 41):
        exporter.export([span_of(n, text="x" * 400)])
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) > 3
    assert max(sizes) <= 5000
    assert len(read_spans(tmp_path, f"{TRACE:032x}")) == 40


def test_the_folder_keeps_its_size_by_giving_up_the_oldest(tmp_path: Path) -> None:
    """However much is traced, the folder stays within its limit and has the newest spans."""
    exporter = FileSpanExporter(tmp_path, "a", file_bytes=5000, folder_bytes=20_000)
    for n in range(1, 201):
        exporter.export([span_of(n, text="x" * 400)])
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 20_000
    names = [span.name for span in read_spans(tmp_path, f"{TRACE:032x}")]
    assert names[-1] == "span 200"
    assert names == [f"span {n}" for n in range(201 - len(names), 201)]
    assert len(names) > 10


def test_the_oldest_files_are_those_written_to_longest_ago(tmp_path: Path) -> None:
    """Time of the last write decides, not the name; what is no trace stays."""
    for age, name in ((1, "c.jsonl"), (3, "a.jsonl"), (2, "b.jsonl")):
        (tmp_path / name).write_bytes(b"x" * 100)
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "notes.txt").write_bytes(b"x" * 1000)
    give_up_oldest(tmp_path, 200)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.jsonl", "c.jsonl", "notes.txt"]


def test_a_folder_emptied_meanwhile_is_made_again(tmp_path: Path) -> None:
    """Files deleted under a running process are not written to any more."""
    exporter = FileSpanExporter(tmp_path, "a")
    exporter.export([span_of(1)])
    for path in tmp_path.iterdir():
        path.unlink()
    exporter.export([span_of(2)])
    assert [span.name for span in read_spans(tmp_path, f"{TRACE:032x}")] == ["span 2"]


def test_a_folder_that_cannot_be_written_costs_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is raised and the log has one line, not one for each batch."""
    (tmp_path / "traces").write_text("a file where the folder should be")
    exporter = FileSpanExporter(tmp_path / "traces", "a")
    assert exporter.export([span_of(1)]) is SpanExportResult.FAILURE
    assert exporter.export([span_of(2)]) is SpanExportResult.FAILURE
    assert len(caplog.records) == 1
    assert "traces cannot be written into" in caplog.text


def test_an_absent_folder_has_no_spans(tmp_path: Path) -> None:
    """Reading before anything was traced is no error."""
    assert read_spans(tmp_path / "nowhere", "0" * 32) == ()


def test_moments_are_exact_to_the_microsecond() -> None:
    """No float stands between a stored moment and its span; a moment without a zone is UTC."""
    at = datetime(2026, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    assert nanoseconds(at) == 1798761599999999000
    assert moment(nanoseconds(at)) == at
    assert nanoseconds(at.replace(tzinfo=None)) == nanoseconds(at)
