"""What telemetry does when nobody listens."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrator.adapters.otel.opening import open_telemetry
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.ports.telemetry import Telemetry


def test_silence_is_a_telemetry_whose_runs_are_not_sampled() -> None:
    """Each traceparent is well formed, new, and tells other processes not to trace."""
    telemetry: Telemetry = SilentTelemetry()
    given = [telemetry.new_trace() for _ in range(50)]
    assert len(set(given)) == 50
    assert all(re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-00", traceparent) for traceparent in given)


def test_silence_runs_the_block_and_lets_exceptions_through() -> None:
    """All calls do nothing; the block's exception comes out."""
    telemetry: Telemetry = SilentTelemetry()
    now = datetime.now(UTC)
    with pytest.raises(KeyError), telemetry.span("turn", {}, telemetry.new_trace()) as span:
        span.set({"a": 1})
        span.failed("no")
        raise KeyError("x")
    telemetry.root(telemetry.new_trace(), "run", now, now, {})
    telemetry.flush()


@pytest.mark.parametrize("otlp", [True, False])
def test_the_standard_switch_turns_everything_off(otlp: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OTEL_SDK_DISABLED=true: nothing is exported and nothing written."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    telemetry = open_telemetry(tmp_path / "traces", "remit", otlp)
    assert isinstance(telemetry, SilentTelemetry)
    with telemetry.span("turn", {}, telemetry.new_trace()):
        pass
    telemetry.flush()
    assert not (tmp_path / "traces").exists()
