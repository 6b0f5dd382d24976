"""Contract of the store: the ledger of budgets, exact to the picodollar, through every end that a turn can have."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.budget import Allowance, Amounts, Kind, Shared, Standing, Tariff, accounts
from orchestrator.domain.changes import (
    AddSubtasks,
    Allow,
    AwaitMore,
    BreakOff,
    CancelRun,
    EndRun,
    Fence,
    OpenAccounts,
    OpenRun,
    Reclaim,
    Reserve,
    SaveStep,
    Settle,
    SettleReservation,
    Wait,
    Yield,
)
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.identity import Scope
from orchestrator.domain.run import Outcome, Run
from orchestrator.domain.step import Step, StepCall, StepResult, StepUsage
from orchestrator.domain.subtask import NEVER, NewSubtask, Status
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import DefectError, FencedError
from orchestrator.ports.store import Applied

TARIFF = Tariff(input=3, output=5)
NONE = Allowance()
TEAM, TENANT = "team:acme/demo/2026-07", "tenant:acme/2026-07"
Add = Callable[..., Applied]
Take = Callable[..., Fence]
Open = Callable[..., None]


@pytest.fixture
def budget(store: SqlStore, run: Run) -> Open:
    """Open the accounts of `r1`: its own limits, those of team `demo` and of tenant `acme` for July."""

    def make(
        own: Allowance = NONE,
        team: Allowance = NONE,
        tenant: Allowance = NONE,
        on_limit: Any = "stop",
        run_id: str = "r1",
    ) -> None:
        shared = Shared("acme", "demo", "2026-07", team, tenant)
        store.apply([OpenAccounts(accounts(run_id, own, shared), on_limit)])

    return make


@pytest.fixture
def begin(take: Take) -> Take:
    """Claim a subtask whose run is counted."""

    def make(key: str, worker: str = "w1", step: int = 0) -> Fence:
        return replace(take(key, worker, step), tariff=TARIFF)

    return make


def need(**amounts: int) -> Reserve:
    return Reserve("r1", "r1/a", Amounts(**amounts))


def replied(n: int = 1, cost: str | None = "0", tokens: tuple[int, int] = (0, 0), seconds: float = 0.0) -> SaveStep:
    usage = StepUsage(model="m", input_tokens=tokens[0], output_tokens=tokens[1], cost=cost)
    return SaveStep("r1/a", Step(n=n, usage=usage, seconds=seconds))


def lines(store: SqlStore, account: str) -> dict[str, tuple[int | None, int | None, int, int]]:
    """`most`, `held`, `spent`, `reserved` by kind."""
    return {one.kind.value: (one.most, one.held, one.spent, one.reserved) for one in store.standing(account)}


def test_without_a_limit_nothing_is_counted(store: SqlStore, add: Add, take: Take) -> None:
    """No account is opened, and a reservation is never refused."""
    add("a")
    assert accounts("r1", NONE, Shared("acme", "demo", "2026-07", NONE, NONE)) == ()
    assert store.apply([need(tokens=10**9)], take("a")).refusal is None
    assert store.standing("r1") == []


def test_what_was_set_aside_is_charged_as_it_was_used(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """Reserved before the call, charged in the step's own transaction, the rest given back at the turn's end."""
    add("a")
    budget(Allowance(tokens=10_000, cost=Decimal("0.5"), steps=40, seconds=60))
    fence = begin("a")
    assert store.apply([need(tokens=100, money=1000, steps=1, time=2000)], fence).refusal is None
    assert lines(store, "r1/a") == {
        "money": (None, 8000, 0, 1000),
        "steps": (None, 1, 0, 1),
        "time": (None, 2000, 0, 2000),
        "tokens": (None, 312, 0, 100),
    }
    assert lines(store, "r1")["tokens"] == (10_000, None, 0, 312)
    store.apply([replied(cost="0.0000000007", tokens=(60, 10), seconds=1.25)], replace(fence, step=1))
    assert lines(store, "r1/a")["tokens"] == (None, 312, 70, 0)
    store.apply([Yield("r1/a")], replace(fence, step=1))
    assert store.standing("r1/a") == []
    assert lines(store, "r1") == {
        "money": (500_000_000_000, None, 700, 0),
        "steps": (40, None, 1, 0),
        "time": (60_000, None, 1250, 0),
        "tokens": (10_000, None, 70, 0),
    }


def test_what_is_kept_for_a_later_call_is_drawn_and_never_charged(
    store: SqlStore, add: Add, budget: Open, begin: Take
) -> None:
    """It must be free beside the call, others cannot have it, and it goes back with the turn's end."""
    add("a")
    budget(Allowance(tokens=100))
    fence = begin("a")
    change = Reserve("r1", "r1/a", Amounts(tokens=60), Amounts(tokens=41))
    refusal = store.apply([change], fence).refusal
    assert refusal is not None
    assert (refusal.need, refusal.busy) == (101, False)
    assert store.apply([replace(change, keep=Amounts(tokens=40))], fence).refusal is None
    assert lines(store, "r1/a")["tokens"] == (None, 100, 0, 60)
    store.apply([replied(tokens=(50, 5))], replace(fence, step=1))
    assert lines(store, "r1/a")["tokens"] == (None, 100, 55, 0)
    store.apply([Yield("r1/a")], replace(fence, step=1))
    assert lines(store, "r1")["tokens"] == (100, None, 55, 0)


def test_a_call_without_a_known_price_counts_at_the_tariff(
    store: SqlStore, add: Add, budget: Open, begin: Take
) -> None:
    """By its tokens: 7 × 3 + 4 × 5 picodollars. A notice costs nothing and leaves what is set aside."""
    add("a")
    budget(Allowance(cost=Decimal(1)))
    fence = begin("a")
    store.apply([need(money=1000)], fence)
    store.apply([SaveStep("r1/a", Step(n=1, kind="notice", text="now"))], replace(fence, step=1))
    assert lines(store, "r1/a")["money"][2:] == (0, 1000)
    store.apply([replied(n=2, cost=None, tokens=(7, 4))], replace(fence, step=2))
    assert lines(store, "r1/a")["money"][2:] == (41, 0)


def test_what_does_not_fit_is_refused_and_nothing_is_set_aside(
    store: SqlStore, add: Add, budget: Open, begin: Take
) -> None:
    """The limit is named with what is used; exactly the rest still fits."""
    add("a")
    budget(Allowance(tokens=100, steps=5))
    fence = begin("a")
    store.apply([need(tokens=60, steps=1), replied(tokens=(50, 10))], fence)
    refusal = store.apply([need(tokens=41, steps=1)], fence).refusal
    assert refusal is not None
    assert (refusal.account, refusal.kind, refusal.most, refusal.spent, refusal.need) == (
        "r1",
        Kind.TOKENS,
        100,
        60,
        41,
    )
    assert (refusal.busy, refusal.on_limit, refusal.asks) == (False, "stop", 0)
    assert {one.reserved for one in store.standing("r1/a")} == {0}
    assert store.apply([need(tokens=40, steps=1)], fence).refusal is None
    assert lines(store, "r1")["tokens"] == (100, None, 0, 100)


def test_time_is_given_in_part(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """Nobody knows how long a step takes: it begins while a millisecond is left."""
    add("a")
    budget(Allowance(seconds=1))
    fence = begin("a")
    assert store.apply([need(time=2000)], fence).refusal is None
    assert lines(store, "r1/a") == {"time": (None, 1000, 0, 1000)}
    store.apply([replied(seconds=0.999)], fence)
    assert store.apply([need(time=2000)], fence).refusal is None
    store.apply([replied(n=2, seconds=3)], fence)
    refusal = store.apply([need(time=2000)], fence).refusal
    assert refusal is not None
    assert (refusal.kind, refusal.spent, refusal.busy) == (Kind.TIME, 3999, False)


def test_what_others_have_set_aside_may_come_back(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """A refusal for that reason says so; after the others' calls there is room."""
    add("a", "b")
    budget(Allowance(tokens=100))
    other = begin("b", "w2")
    assert store.apply([Reserve("r1", "r1/b", Amounts(tokens=80))], other).refusal is None
    fence = begin("a")
    refusal = store.apply([need(tokens=30)], fence).refusal
    assert refusal is not None
    assert (refusal.spent, refusal.busy) == (0, True)
    used = StepUsage(model="m", input_tokens=10, output_tokens=10, cost="0")
    store.apply([SaveStep("r1/b", Step(n=1, usage=used))], other)
    assert store.apply([need(tokens=30)], fence).refusal is None


def test_what_was_drawn_ahead_is_called_back(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """Idle slabs of others are no reason to refuse; what they have set aside for calls in flight stays theirs."""
    add("a", "b")
    budget(Allowance(tokens=3200))
    other = begin("b", "w2")
    store.apply([Reserve("r1", "r1/b", Amounts(tokens=10))], other)
    assert lines(store, "r1/b")["tokens"] == (None, 80, 0, 10)
    fence = begin("a")
    assert store.apply([need(tokens=3190)], fence).refusal is None
    assert lines(store, "r1/b")["tokens"] == (None, 10, 0, 10)
    assert lines(store, "r1")["tokens"] == (3200, None, 0, 3200)


def test_a_dead_worker_has_used_all_it_set_aside(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """Its call may have been sent and paid for; what it had only drawn ahead comes back."""
    add("a")
    budget(Allowance(tokens=100_000))
    store.apply([need(tokens=100)], begin("a"))
    store.expire("w1")
    store.apply([Reclaim("r1/a", "w1", 1)])
    assert store.standing("r1/a") == []
    assert lines(store, "r1") == {"tokens": (100_000, None, 100, 0)}


def test_a_turn_that_broke_has_used_all_it_set_aside(
    store: SqlStore, add: Add, budget: Open, begin: Take, clock: ShiftedClock
) -> None:
    """Also when whoever gives the subtask back knows nothing of budgets."""
    add("a")
    budget(Allowance(tokens=100_000))
    fence = begin("a")
    store.apply([need(tokens=100)], fence)
    store.apply([BreakOff("r1/a", "it broke", clock.now())], replace(fence, tariff=None))
    assert lines(store, "r1") == {"tokens": (100_000, None, 100, 0)}


def test_a_lost_try_is_charged_in_full(
    store: SqlStore, add: Add, budget: Open, begin: Take, clock: ShiftedClock
) -> None:
    """The next try sets aside anew; waiting gives back what is not used."""
    add("a")
    budget(Allowance(tokens=1000))
    fence = begin("a")
    store.apply([need(tokens=100)], fence)
    store.apply([SettleReservation("r1/a")], fence)
    assert lines(store, "r1/a")["tokens"][2:] == (100, 0)
    store.apply([need(tokens=100)], fence)
    store.apply([Wait("r1/a", clock.now() + timedelta(seconds=9), put_off=True)], fence)
    assert lines(store, "r1") == {"tokens": (1000, None, 100, 0)}


def test_more_used_than_set_aside_is_counted_too(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """A server that counts more than was estimated: the next call has less room."""
    add("a")
    budget(Allowance(tokens=100))
    fence = begin("a")
    store.apply([need(tokens=10), replied(tokens=(90, 20))], fence)
    refusal = store.apply([need(tokens=1)], fence).refusal
    assert refusal is not None
    assert (refusal.spent, refusal.busy) == (110, False)
    store.apply([Yield("r1/a")], fence)
    assert lines(store, "r1") == {"tokens": (100, None, 110, 0)}


def test_time_of_calls_is_charged_when_their_step_is_completed(
    store: SqlStore, add: Add, budget: Open, begin: Take
) -> None:
    """Only what was added since the reply was stored; also in a later turn that set nothing aside."""
    add("a")
    budget(Allowance(seconds=100, tokens=100))
    fence = begin("a")
    usage = StepUsage(model="m", input_tokens=5, output_tokens=5, cost="0")
    step = Step(n=1, calls=(StepCall(id="c1", tool="look"),), usage=usage, seconds=1)
    store.apply([need(time=1000, tokens=10), SaveStep("r1/a", step)], fence)
    store.apply([Yield("r1/a")], fence)
    again = begin("a", step=1)
    done = step.model_copy(update={"results": (StepResult(call_id="c1", ok=True, shown="s"),), "seconds": 4.5})
    store.apply([SaveStep("r1/a", done), Yield("r1/a")], again)
    assert lines(store, "r1") == {"time": (100_000, None, 4500, 0), "tokens": (100, None, 10, 0)}


def test_a_run_draws_from_team_and_tenant(
    store: SqlStore, add: Add, budget: Open, begin: Take, new_run: Callable[..., Run], new: Callable[..., NewSubtask]
) -> None:
    """The narrowest of the limits holds; what a run used is counted above it when it ends, and its lines are gone."""
    add("a")
    budget(NONE, Allowance(tokens=500), Allowance(tokens=200))
    fence = begin("a")
    store.apply([need(tokens=150), replied(tokens=(100, 20))], fence)
    refusal = store.apply([need(tokens=90)], fence).refusal
    assert refusal is not None
    assert (refusal.account, refusal.most, refusal.spent) == ("tenant:acme/2026-07", 200, 120)
    assert store.apply([need(tokens=80)], fence).refusal is None
    store.apply([replied(n=2, tokens=(30, 0)), EndRun("r1", Outcome(status="done", reason="done"))], fence)
    assert [store.standing(one) for one in ("r1", "r1/a")] == [[], []]
    assert lines(store, "team:acme/demo/2026-07") == {"tokens": (500, 200, 150, 0)}
    assert lines(store, "tenant:acme/2026-07") == {"tokens": (200, None, 0, 200)}
    store.apply([OpenRun(new_run("r2")), AddSubtasks("r2", (new("b", run_id="r2"),))])
    budget(NONE, Allowance(tokens=500), Allowance(tokens=200), run_id="r2")
    assert store.claim("r2/b", "w1") is not None
    second = store.apply([Reserve("r2", "r2/b", Amounts(tokens=51))], Fence("r2/b", "w1", 1, 0, TARIFF)).refusal
    assert second is not None
    assert (second.account, second.spent, second.busy) == ("tenant:acme/2026-07", 150, False)


def test_calls_in_flight_when_a_run_is_cancelled_are_charged_in_full(
    store: SqlStore, add: Add, budget: Open, begin: Take
) -> None:
    """They may still be answered and paid for, and nobody will write that down."""
    add("a")
    budget(Allowance(tokens=1000), Allowance(tokens=5000))
    fence = begin("a")
    store.apply([need(tokens=70)], fence)
    store.apply([CancelRun("r1", "enough")])
    with pytest.raises(FencedError):
        store.apply([replied(tokens=(1, 1))], fence)
    assert lines(store, "team:acme/demo/2026-07") == {"tokens": (5000, None, 70, 0)}


def test_limits_of_team_and_tenant_are_those_of_the_newest_run(store: SqlStore, budget: Open) -> None:
    """Raised, lowered, or set in the middle of the month; what was used stays."""
    team, tenant = "team:acme/demo/2026-07", "tenant:acme/2026-07"
    budget(NONE, Allowance(tokens=500))
    budget(NONE, Allowance(tokens=700), Allowance(tokens=900), run_id="r2")
    assert (lines(store, team), lines(store, tenant)) == ({"tokens": (700, 0, 0, 0)}, {"tokens": (900, None, 0, 0)})
    budget(NONE, Allowance(tokens=300), NONE, run_id="r3")
    assert lines(store, team) == {"tokens": (300, None, 0, 0)}


def test_a_limit_that_is_not_set_any_more_is_lifted(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """The newest run was handed in without it: who was refused for it goes on, and what is used is counted still."""
    add("a")
    budget(NONE, Allowance(tokens=500), Allowance(tokens=100, steps=9))
    fence = begin("a")
    assert store.apply([need(tokens=101)], fence).refusal is not None
    shared = Shared("acme", "demo", "2026-07", NONE, Allowance(steps=9))
    store.apply([OpenAccounts(accounts("r2", NONE, shared), "stop", shared.unlimited())])
    assert store.apply([need(tokens=900, steps=1), replied(tokens=(800, 50))], fence).refusal is None
    refusal = store.apply([need(steps=9)], fence).refusal
    assert refusal is not None
    assert (refusal.account, refusal.most) == ("tenant:acme/2026-07", 9)
    store.apply([Yield("r1/a")], fence)
    assert {account: lines(store, account)["tokens"][0] for account in (TEAM, TENANT)} == {TEAM: None, TENANT: None}
    store.apply([EndRun("r1", Outcome(status="done", reason="done"))])
    assert [lines(store, account)["tokens"][2] for account in (TEAM, TENANT)] == [850, 0]
    assert lines(store, TEAM)["tokens"][3] == 0


def test_the_first_at_a_limit_asks_and_the_others_wait(
    store: SqlStore,
    add: Add,
    budget: Open,
    begin: Take,
    new_ticket: Callable[..., Ticket],
    status: Callable[[str], Status],
) -> None:
    """One ticket a limit; the answer raises it and wakes all."""
    add("a", "b", "c")
    budget(Allowance(tokens=100), on_limit="ask")
    for n, key in enumerate("abc"):
        fence = begin(key)
        assert store.apply([Reserve("r1", f"r1/{key}", Amounts(tokens=101))], fence).refusal is not None
        waits = AwaitMore("r1", f"r1/{key}", Kind.TOKENS, 0, new_ticket(f"t{n}", key, topic="limit"))
        assert store.apply([waits], fence).ready == ()
    assert [one.id for one in store.tickets(Scope(tenant="acme"))] == ["t0"]
    assert [one.wake_at for one in store.subtasks("r1")] == [None, NEVER, NEVER]
    assert [one.action for one in store.audit("r1")] == ["asked"]
    assert store.apply([Allow("r1", Kind.TOKENS, "more")]).ready == ("r1/b", "r1/c")
    assert status("a") is Status.WAITING
    (line,) = store.standing("r1")
    assert line == Standing("r1", Kind.TOKENS, 200, None, 0, 0, "ask", 1)
    fence = begin("b")
    assert store.apply([Reserve("r1", "r1/b", Amounts(tokens=101))], fence).refusal is None


def test_whoever_waits_too_late_goes_on(
    store: SqlStore, add: Add, budget: Open, begin: Take, new_ticket: Callable[..., Ticket]
) -> None:
    """The decision came between the refusal and the waiting: nobody would wake the subtask."""
    add("a")
    budget(Allowance(tokens=100), on_limit="ask")
    fence = begin("a")
    store.apply([Allow("r1", Kind.TOKENS, "more")])
    waits = AwaitMore("r1", "r1/a", Kind.TOKENS, 0, new_ticket("t1"))
    assert store.apply([waits], fence).ready == ("r1/a",)
    assert store.tickets(Scope(tenant="acme")) == []


def test_a_person_who_says_stop_is_not_asked_again(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """The limit stays and refuses as one that stops."""
    add("a")
    budget(Allowance(tokens=100, steps=1), on_limit="ask")
    store.apply([Allow("r1", Kind.TOKENS, "stop")])
    refusal = store.apply([need(tokens=101)], begin("a")).refusal
    assert refusal is not None
    assert (refusal.most, refusal.on_limit, refusal.asks) == (100, "stop", 1)
    assert {one.kind: one.on_limit for one in store.standing("r1")} == {Kind.STEPS: "ask", Kind.TOKENS: "stop"}


def test_a_subtask_that_ends_gives_back_the_rest(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """Its last step is charged in the same transaction."""
    add("a")
    budget(Allowance(tokens=100_000))
    fence = begin("a")
    store.apply([need(tokens=100)], fence)
    finding = Finding(status="done", ending=Ending.ANSWER)
    store.apply([replied(tokens=(3, 4)), Settle("r1/a", Status.DONE, finding)], replace(fence, step=1))
    assert lines(store, "r1") == {"tokens": (100_000, None, 7, 0)}


def test_the_ledger_is_only_changed_under_the_fence(store: SqlStore, add: Add, budget: Open, begin: Take) -> None:
    """A worker that lost its subtask sets nothing aside and charges nothing."""
    add("a")
    budget(Allowance(tokens=100))
    fence = begin("a")
    for change in (need(tokens=1), SettleReservation("r1/a")):
        with pytest.raises(FencedError):
            store.apply([change], replace(fence, epoch=2))
        with pytest.raises(DefectError, match="needs the fence"):
            store.apply([change])
    assert lines(store, "r1") == {"tokens": (100, None, 0, 0)}
