"""Telemetry never disturbs the work: a collector that is away, hangs or is misspelt costs spans only."""

import logging
import os
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.adapters.otel.files import read_spans
from orchestrator.adapters.otel.opening import open_telemetry
from orchestrator.adapters.otel.telemetry import FLUSH_SECONDS
from orchestrator.adapters.otel.traceparent import trace_id_of


@pytest.fixture
def deaf() -> Iterator[str]:
    """A collector that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def nobody() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_collector_that_hangs_costs_neither_time_nor_errors(
    deaf: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spans are as cheap as ever while it hangs, more than the queue holds are dropped, and a flush gives up."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", deaf)
    telemetry = open_telemetry(tmp_path, "remit", otlp=True)
    traceparent = telemetry.new_trace()
    began = time.monotonic()
    for _ in range(9000):
        with telemetry.span("turn", {}, traceparent):
            pass
    assert time.monotonic() - began < 30.0
    began = time.monotonic()
    telemetry.flush()
    assert FLUSH_SECONDS - 0.1 < time.monotonic() - began < FLUSH_SECONDS + 30.0


def test_a_collector_that_is_away_is_said_once_in_one_line(
    nobody: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log gets one line for a minute of failures, and no traceback."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", nobody)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.2")
    telemetry = open_telemetry(tmp_path, "remit", otlp=True)
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            with telemetry.span("turn", {}, telemetry.new_trace()):
                pass
            telemetry.flush()
    assert [record.getMessage() for record in caplog.records] == [
        "the collector of OTEL_EXPORTER_OTLP_ENDPOINT did not take 1 spans"
    ]


def test_variables_that_cannot_be_used_send_traces_to_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A misspelt setting is one line, and the spans are not lost."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1000000")
    telemetry = open_telemetry(tmp_path, "remit", otlp=True)
    traceparent = telemetry.new_trace()
    with telemetry.span("turn", {}, traceparent):
        pass
    telemetry.flush()
    trace_id = trace_id_of(traceparent)
    assert trace_id is not None
    assert [span.name for span in read_spans(tmp_path, trace_id)] == ["turn"]
    assert len(caplog.records) == 1
    assert "traces go to files" in caplog.text


def run_script(source: str, *arguments: str) -> subprocess.Popen[str]:
    """A Python process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_process_ends_in_time_although_the_collector_hangs(deaf: str, tmp_path: Path) -> None:
    """Neither the flush nor the interpreter's own end waits for the collector."""
    process = run_script(
        """
        import os, sys, time
        from pathlib import Path
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = sys.argv[2]
        from orchestrator.adapters.otel.opening import open_telemetry
        telemetry = open_telemetry(Path(sys.argv[1]), "remit", True)
        with telemetry.span("turn", {}, telemetry.new_trace()):
            pass
        began = time.monotonic()
        telemetry.flush()
        print(time.monotonic() - began)
        """,
        str(tmp_path),
        deaf,
    )
    began = time.monotonic()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert float(output) < FLUSH_SECONDS + 30.0
    assert time.monotonic() - began < 60.0


def test_spans_are_there_after_the_process_was_killed(tmp_path: Path) -> None:
    """SIGKILL in the middle of a turn: finished turns are whole, of the unfinished one there is nothing."""
    process = run_script(
        """
        import sys, time
        from pathlib import Path
        from orchestrator.adapters.otel.opening import open_telemetry
        telemetry = open_telemetry(Path(sys.argv[1]), "remit", False)
        with telemetry.span("turn 1", {}, sys.argv[2]), telemetry.span("step 1", {}):
            pass
        with telemetry.span("turn 2", {}, sys.argv[2]):
            with telemetry.span("step 2", {}):
                pass
            telemetry.flush()
            print("now", flush=True)
            time.sleep(60)
        """,
        str(tmp_path),
        f"00-{'ab' * 16}-{'cd' * 8}-01",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "now\n"
    process.kill()
    process.communicate()
    spans = read_spans(tmp_path, "ab" * 16)
    assert [span.name for span in spans] == ["turn 1", "step 1"]
    assert spans[0].parent_id == "cd" * 8
    assert spans[1].parent_id == spans[0].span_id


def test_without_a_collector_its_exporter_is_not_imported(tmp_path: Path) -> None:
    """Commands that write files do not pay for protobuf and requests, nor does anybody set a global provider."""
    process = run_script(
        """
        import sys
        from pathlib import Path
        from orchestrator.adapters.otel.opening import open_telemetry
        open_telemetry(Path(sys.argv[1]), "remit", False)
        loaded = [name for name in sys.modules if name.startswith(("opentelemetry.exporter", "requests", "google"))]
        from opentelemetry import trace
        print(loaded, trace._TRACER_PROVIDER)
        """,
        str(tmp_path),
    )
    output, _ = process.communicate(timeout=60)
    assert output == "[] None\n"
