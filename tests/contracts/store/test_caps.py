"""Contract of the store: caps on what is at work at the same time, and the line before them."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.caps import TeamCaps, caps_of
from orchestrator.domain.changes import (
    AddSubtasks,
    Admit,
    CancelRun,
    CapRun,
    Change,
    Fence,
    GiveUp,
    OpenRun,
    Reclaim,
    ReplaceUnstarted,
    SaveStep,
    Wait,
    Yield,
)
from orchestrator.domain.run import Run
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import NewSubtask, Status
from orchestrator.ports.store import Applied

New = Callable[..., NewSubtask]
Capped = Callable[..., Applied]
Take = Callable[..., Fence]


@pytest.fixture
def capped(store: SqlStore, new_run: Callable[..., Run], new: New) -> Capped:
    """Store a run with caps and ready subtasks by key, all of one agent; two workers have long leases."""
    registered: list[str] = []

    def make(
        *keys: str, run_id: str = "r1", parallel: int | None = None, caps: TeamCaps | None = None, priority: int = 0
    ) -> Applied:
        for worker in () if registered else ("w1", "w2"):
            store.register(worker, 3600)
            registered.append(worker)
        concerned = caps_of(run_id, "acme", "demo", caps or TeamCaps(), parallel)
        subtasks = tuple(new(key, run_id=run_id, priority=priority) for key in keys)
        return store.apply([OpenRun(new_run(run_id)), CapRun(run_id, concerned), AddSubtasks(run_id, subtasks)])

    return make


def at_work(store: SqlStore, *runs: str) -> list[str]:
    """The keys that are running."""
    return sorted(one.key for run in runs or ("r1",) for one in store.subtasks(run) if one.status is Status.RUNNING)


def claim_all(store: SqlStore, ids: Sequence[str]) -> list[str]:
    """Those of the subtasks that could be claimed."""
    return [one for one in ids if store.claim(one, "w1") is not None]


def test_no_more_than_a_cap_are_at_work(store: SqlStore, capped: Capped) -> None:
    """The others stay ready, and nobody sends wake-ups for them."""
    applied = capped("a", "b", "c", "d", parallel=2)
    assert claim_all(store, applied.ready) == ["r1/a", "r1/b"]
    assert store.statuses("r1") == {Status.RUNNING: 2, Status.READY: 2}


def test_nobody_is_woken_in_vain(store: SqlStore, capped: Capped, clock: ShiftedClock) -> None:
    """Who is held back is due at no time, and does not make a worker believe that it is deaf."""
    claim_all(store, capped("a", "b", "c", parallel=1).ready)
    for _ in range(6):
        clock.advance(61)
        assert store.to_notify(10) == []
        assert store.next_in_line(10) == []
    assert not store.unclaimed()


@pytest.mark.parametrize("how", ["settle", "wait", "yield", "reclaim", "give up", "cancel"])
def test_whoever_gives_a_place_back_lets_the_next_in(
    store: SqlStore, capped: Capped, ending: Callable[..., list[Change]], take: Take, clock: ShiftedClock, how: str
) -> None:
    """However the place comes back: with the finding, a wait, a yield, the end of a worker or of the run."""
    team = TeamCaps(team=1)
    capped("a", caps=team)
    capped("b", "c", run_id="r2", caps=team)
    fence = take("a")
    for one in ("r2/b", "r2/c"):
        assert store.claim(one, "w2") is None
        clock.advance(1)
    ways: dict[str, Callable[[], Applied]] = {
        "settle": lambda: store.apply(ending("a"), fence),
        "wait": lambda: store.apply([Wait("r1/a", clock.now() + timedelta(hours=1))], fence),
        "yield": lambda: store.apply([Yield("r1/a")], fence),
        "reclaim": lambda: store.apply([Reclaim("r1/a", "w1", fence.epoch)]),
        "give up": lambda: store.apply([GiveUp("r1/a", "w1", fence.epoch)]),
        "cancel": lambda: store.apply([CancelRun("r1", "enough")]),
    }
    if how == "reclaim":
        store.expire("w1")
    ready = ways[how]().ready
    assert [one for one in ready if one.startswith("r2/")] == ["r2/b"]
    assert store.claim("r2/b", "w2") is not None
    assert store.claim("r2/c", "w2") is None


def test_every_kind_of_cap_holds(store: SqlStore, capped: Capped) -> None:
    """Of the team, of an agent, of a tool that agents have, of a run; the smallest counts."""
    keys = [f"k{n}" for n in range(9)]
    users = {"worker": ("web.fetch",)}
    kinds: list[tuple[int | None, TeamCaps]] = [
        (None, TeamCaps(team=2)),
        (None, TeamCaps(agents={"worker": 2})),
        (None, TeamCaps(tools={"web.fetch": 2}, users=users)),
        (2, TeamCaps()),
        (3, TeamCaps(team=5, agents={"worker": 4}, tools={"web.fetch": 2}, users=users)),
    ]
    for number, (parallel, caps) in enumerate(kinds):
        run = f"run{number}"
        applied = capped(*keys, run_id=run, parallel=parallel, caps=caps)
        assert claim_all(store, applied.ready) == [f"{run}/k0", f"{run}/k1"]
        store.apply([CancelRun(run, "next")])


def test_runs_of_a_team_share_its_places_and_no_others(store: SqlStore, capped: Capped) -> None:
    """Another agent, a group, and a run that no cap concerns go on."""
    caps = TeamCaps(agents={"worker": 1})
    capped("a", caps=caps)
    capped("b", run_id="r2", caps=caps)
    capped("c", run_id="r3", caps=TeamCaps(agents={"other": 1}))
    assert claim_all(store, ["r1/a", "r2/b", "r3/c"]) == ["r1/a", "r3/c"]


def test_a_group_takes_no_place(store: SqlStore, capped: Capped, new: New) -> None:
    """It does no work of its own: its children do."""
    capped("a", parallel=1)
    store.apply([AddSubtasks("r1", (new("g", "group"),))])
    assert claim_all(store, ["r1/a", "r1/g"]) == ["r1/a", "r1/g"]


def test_the_newest_run_of_a_team_says_what_holds(store: SqlStore, capped: Capped) -> None:
    """For the older ones too; a sweep lets in for whom there is room then."""
    ready = capped("a", "b", "c", caps=TeamCaps(team=1)).ready
    assert claim_all(store, ready) == ["r1/a"]
    capped(run_id="r2", caps=TeamCaps(team=2))
    assert store.next_in_line(10) == ["r1/b"]
    assert store.apply([Admit(("r1/b",))]).ready == ("r1/b",)
    assert store.apply([Admit(("r1/b", "r1/a", "r1/none"))]) == Applied()
    assert store.claim("r1/b", "w1") is not None
    assert store.next_in_line(10) == []


def test_who_was_let_in_is_not_overtaken(
    store: SqlStore, capped: Capped, ending: Callable[..., list[Change]], take: Take, clock: ShiftedClock
) -> None:
    """A newcomer whose wake-up is faster stands behind him."""
    capped("a", "b", "c", parallel=1)
    fence = take("a")
    assert store.claim("r1/b", "w2") is None
    assert store.apply(ending("a"), fence).ready == ("r1/b",)
    clock.advance(1)
    assert store.claim("r1/c", "w2") is None
    assert store.claim("r1/b", "w2") is not None


def test_interactive_work_is_let_in_first_and_batch_work_before_long(
    store: SqlStore, capped: Capped, ending: Callable[..., list[Change]], take: Take, clock: ShiftedClock
) -> None:
    """A batch subtask goes before whoever comes a minute after it."""
    team = TeamCaps(team=1)
    capped("a", "late", "later", caps=team)
    capped("x", "y", run_id="r2", caps=team, priority=-1)
    first = take("a")
    assert claim_all(store, ["r2/x", "r2/y"]) == []
    clock.advance(50)
    assert store.claim("r1/late", "w1") is None
    clock.advance(20)
    assert store.claim("r1/later", "w1") is None
    applied = store.apply(ending("a"), first)
    assert (applied.ready, applied.batch) == (("r1/late",), ())
    applied = store.apply(ending("late"), take("late"))
    assert (applied.ready, applied.batch) == (("r2/x",), ("r2/x",))


def test_who_is_full_elsewhere_does_not_block_the_line(
    store: SqlStore, capped: Capped, ending: Callable[..., list[Change]], take: Take, clock: ShiftedClock
) -> None:
    """The first in line whose other pool is full stays; the next goes in."""
    team = TeamCaps(team=2)
    capped("a", caps=team)
    capped("b", "c", run_id="r2", parallel=1, caps=team)
    capped("d", run_id="r3", caps=team)
    fence = take("a")
    assert store.claim("r2/b", "w2") is not None
    assert store.claim("r2/c", "w2") is None
    clock.advance(1)
    assert store.claim("r3/d", "w2") is None
    assert store.apply(ending("a"), fence).ready == ("r3/d",)


def test_who_ends_while_he_is_held_back_leaves_the_line(store: SqlStore, capped: Capped, take: Take) -> None:
    """Replaced by another plan, or cancelled with the run; nothing of an ended run is left."""
    capped("a", "b", "c", parallel=1)
    fence = take("a")
    assert claim_all(store, ["r1/b", "r1/c"]) == []
    store.apply([ReplaceUnstarted("r1", "another plan")])
    assert store.apply([Yield("r1/a")], fence).ready == ("r1/a",)
    take("a")
    store.apply([CancelRun("r1", "enough")])
    assert store.next_in_line(10) == []
    capped("d", "e", run_id="r2", caps=TeamCaps(team=1))
    assert claim_all(store, ["r2/d", "r2/e"]) == ["r2/d"]


def test_a_fenced_worker_gives_no_place_back(store: SqlStore, capped: Capped, take: Take) -> None:
    """What was taken from a dead worker counts once."""
    capped("a", "b", "c", parallel=1)
    old = take("a", "w2", step=1)
    store.expire("w2")
    store.apply([Reclaim("r1/a", "w2", old.epoch)])
    new = take("a", "w1", step=1)
    with pytest.raises(Exception, match="does not hold"):
        store.apply([Yield("r1/a")], old)
    store.apply([SaveStep("r1/a", Step(n=1))], new)
    assert claim_all(store, ["r1/b", "r1/c"]) == []


def test_many_who_claim_at_once_keep_the_cap(
    store: SqlStore, other: SqlStore, capped: Capped, together: Callable[..., list[Any]]
) -> None:
    """Two processes with twelve threads: three get in."""
    ready = capped(*(f"k{n}" for n in range(12)), parallel=3).ready
    claims = [partial(by.claim, one, "w1") for one, by in zip(ready, [store, other] * 6, strict=True)]
    got = [one for one in together(*claims) if one is not None]
    assert [type(one).__name__ for one in got] == ["Subtask"] * 3
    assert len(at_work(store)) == 3


def test_places_that_come_back_at_once_are_given_away_once(
    store: SqlStore,
    other: SqlStore,
    capped: Capped,
    ending: Callable[..., list[Change]],
    take: Take,
    together: Callable[..., list[Any]],
) -> None:
    """Four end at the same moment, eight stand in line: after at most one sweep four others are at work."""
    keys = [f"k{n:02}" for n in range(12)]
    ready = capped(*keys, parallel=4).ready
    fences = [take(key) for key in keys[:4]]
    assert claim_all(store, ready[4:]) == []
    stores = [store, other, store, other]
    changes = [ending(key) for key in keys[:4]]
    applied = together(*map(partial, [one.apply for one in stores], changes, fences))
    woken = [one for done in applied for one in done.ready]
    assert len(woken) == len(set(woken))
    rest = store.next_in_line(10)
    store.apply([Admit(tuple(rest))])
    assert len(woken) + len(rest) == 4
    assert len(claim_all(store, [*woken, *rest])) == 4
