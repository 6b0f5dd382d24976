"""Every port that a worker works through can be broken, and lets everything through where nothing is."""

import importlib
import pkgutil
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import orchestrator.ports
import workers.chaos
from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.adapters.otel.memory import MemoryTelemetry
from orchestrator.domain.rates import Rate
from orchestrator.ports.limiter import Ask, Told
from workers.chaos.faults import Faults
from workers.chaos.plan import Plan, write_plan
from workers.chaos.points import Fault
from workers.chaos.wrapped_limiter import DisturbedLimiter
from workers.chaos.wrapped_telemetry import DisturbedTelemetry

NOT_BROKEN = {
    "Clock": "nothing is asked of anybody: it reads this machine's clock",
    "Drafter": "a pure function over what was read",
    "ContentReader": "the same",
    "Care": "no worker has it: `remit db` and `remit runs prune` do",
    "KeptBlobs": "the same",
    "KeptTraces": "the same",
    "Span": "handed out by telemetry; what it holds is lost with the process, as it is",
}
"""Ports, and parts of them, at which a run cannot be broken."""


class Noted(Faults):
    """Meets nothing, and notes where."""

    def __init__(self, folder: Path) -> None:
        write_plan(Plan(seed=1, round=1, most=0, stop_seconds=1), folder)
        super().__init__(folder, "")
        self.met: list[str] = []

    def meet(self, name: str) -> Fault | None:
        """Nothing happens."""
        self.met.append(name)
        return super().meet(name)


def named(package: ModuleType, prefix: str = "") -> dict[str, type]:
    """The classes of a package's modules by name."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        if found.name.rpartition(".")[2].startswith(prefix)
    ]
    return {
        name: one
        for module in modules
        for name, one in vars(module).items()
        if isinstance(one, type) and one.__module__ == module.__name__
    }


def test_every_port_has_its_points() -> None:
    """Whoever adds a port breaks it too, or says why it cannot break."""
    ports = {name for name, one in named(orchestrator.ports).items() if getattr(one, "_is_protocol", False)}
    broken = {name.removeprefix("Disturbed") for name in named(workers.chaos, "wrapped_")}
    assert ports - broken == set(NOT_BROKEN)


def test_the_limiter_is_the_same_between_its_points(tmp_path: Path) -> None:
    """A place is taken and an answer learned from; each passes two points."""
    faults = Noted(tmp_path)
    limiter = DisturbedLimiter(MemoryLimiter(lambda: 1000.0), faults)
    ask = Ask("e/m", "r1", 10, Rate(rpm=6))
    first, second = limiter.take(ask, 10**9), limiter.take(ask, 2.0)
    assert (first.wait, first.taken, second.taken) == (0.0, True, False)
    assert limiter.told(ask, Told(first.at, refused=True, pause=9.0)) >= 9.0
    limiter.close()
    assert faults.met == ["rate.before", "rate.after"] * 3


def test_telemetry_is_the_same_between_its_points(tmp_path: Path) -> None:
    """The span of a run passes two points, what is inside it none."""
    faults, inner = Noted(tmp_path), MemoryTelemetry()
    telemetry = DisturbedTelemetry(inner, faults)
    trace, at = telemetry.new_trace(), datetime(2026, 1, 1, tzinfo=UTC)
    with telemetry.span("turn", {}, trace):
        pass
    telemetry.root(trace, "run t", at, at, {})
    telemetry.flush()
    assert sorted(one.name for one in inner.spans) == ["run t", "turn"]
    telemetry.close()
    assert faults.met == ["trace.before", "trace.after"]
