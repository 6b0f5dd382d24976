"""A run with a budget whose planner is claimed, and a scripted model server that it asks."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agents.fake_model.loading import parse_yaml
from agents.fake_model.serving import FakeModel, serve
from orchestrator.adapters.blobs import MemoryBlobs
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.budget import Purse, Tariff
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.run import TeamRules
from orchestrator.domain.subtask import subtask_id
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.claims import Claim, Claims
from orchestrator.engine.services.submitting import Request, Submitter
from orchestrator.ports.clock import SystemClock
from workers.meter import PriceOf, TurnMeter
from workers.metering import without_prices

Meter = Callable[..., TurnMeter]


@pytest.fixture
def claim(store: SqlStore) -> Callable[[Limits], Claim]:
    """Hand a goal in with these limits, and claim its first subtask."""

    def make(limits: Limits) -> Claim:
        applier = Applier(store, MemoryBroker(), SilentTelemetry())
        purse = Purse(tariff=Tariff(input=1, output=2))
        submitter = Submitter(applier, MemoryBlobs(), SystemClock(), SilentTelemetry(), purse)
        request = Request("g", {}, TeamRules(team="t", specialists=("a",)), "{}", {}, limits)
        run = submitter.submit(request, Scope(tenant="t"), Actor(id="me"))
        store.register(f"w-{run.id}", 3600)
        claimed = Claims(store).claim(subtask_id(run.id, "plan"), f"w-{run.id}")
        assert claimed is not None
        return claimed

    return make


@pytest.fixture
def meter(store: SqlStore, claim: Callable[[Limits], Claim]) -> Meter:
    """The meter of a turn of a run with these limits."""

    def make(most_output: int | None = 100, price: PriceOf = without_prices, **limits: Any) -> TurnMeter:
        claimed = claim(Limits(**limits))
        tariff = claimed.run.goal.limits.tariff
        assert tariff is not None
        return TurnMeter(claimed, tariff, store, price, most_output)

    return make


@pytest.fixture
def reserved(store: SqlStore) -> Callable[[], dict[str, tuple[int, int]]]:
    """What the one subtask at work has used and set aside, by kind."""

    def read() -> dict[str, tuple[int, int]]:
        (run,) = store.runs(Scope(tenant="t"), 10)
        lines = store.standing(subtask_id(run.id, "plan"))
        return {str(one.kind): (one.spent, one.reserved) for one in lines}

    return read


@pytest.fixture
def fake_model() -> Iterator[Callable[[str], FakeModel]]:
    """Serves a script given as YAML."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(serve(parse_yaml(script)))
