"""The span of a whole run is exported once it has ended, though whoever ended it was killed before that."""

from collections.abc import Callable
from typing import Any

from orchestrator.adapters.otel.memory import MemoryTelemetry
from orchestrator.engine.services.root_spans import ABANDONED_SECONDS, RootSpans

Make = Callable[..., Any]


def roots(telemetry: MemoryTelemetry) -> list[str]:
    """The spans without a parent."""
    return [one.span_id for one in telemetry.spans if one.parent_id is None]


def test_who_ends_a_run_exports_its_root_span(flow: Make) -> None:
    """At once, once, and it is noted with the next sweep; nobody exports it again."""
    engine = flow()
    run = engine.run().run
    root = run.trace.split("-")[2]
    assert roots(engine.telemetry) == [root]
    assert [one.id for one in engine.store.untraced(0.0, 10)] == [run.id]
    engine.sweeper.sweep()
    assert engine.store.untraced(0.0, 10) == []
    engine.clock.advance(ABANDONED_SECONDS)
    engine.sweeper.sweep()
    assert roots(engine.telemetry) == [root]


def test_the_span_of_a_killed_process_is_exported_by_another(flow: Make) -> None:
    """After a while, since the first may still be about to say that it did it; the same span, to the microsecond."""
    engine = flow()
    run = engine.run().run
    (lost,) = [one for one in engine.telemetry.spans if one.parent_id is None]
    telemetry = MemoryTelemetry()
    other = RootSpans(engine.store, telemetry)
    engine.clock.advance(ABANDONED_SECONDS - 30)
    assert (other.sweep(10), roots(telemetry)) == (0, [])
    engine.clock.advance(30)
    assert (other.sweep(10), telemetry.spans) == (1, (lost,))
    assert lost.attributes == {"remit.run": run.id, "remit.team": "flow", "remit.status": "done"}
    assert (other.sweep(10), RootSpans(engine.store, telemetry).sweep(10)) == (0, 0)


def test_a_command_notes_what_it_exported_as_it_ends(flow: Make) -> None:
    """It does not sweep: a run that it cancels is noted at its end."""
    engine = flow()
    run = engine.submit()
    engine.reader.cancel(engine.scope, run.id, "enough", engine.actor)
    assert len(roots(engine.telemetry)) == 1
    engine.applier.roots.close()
    assert engine.store.untraced(0.0, 10) == []


def test_a_run_that_goes_on_has_no_root_span_yet(flow: Make) -> None:
    """However long it takes."""
    engine = flow()
    engine.submit()
    engine.clock.advance(10 * ABANDONED_SECONDS)
    engine.sweeper.sweep()
    assert roots(engine.telemetry) == []
