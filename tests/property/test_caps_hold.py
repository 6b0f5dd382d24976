"""Whatever the order in which subtasks are claimed, end, wait, die and are cancelled, no cap is ever exceeded."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.caps import RunCaps, TeamCaps, caps_of
from orchestrator.domain.changes import (
    AddSubtasks,
    Admit,
    CancelRun,
    CapRun,
    Fence,
    OpenRun,
    Reclaim,
    ReplaceUnstarted,
    Settle,
    Wait,
    Wake,
    Yield,
)
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import new_id
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import FINAL, NewSubtask, Status, Subtask, SubtaskSpec
from orchestrator.errors import ConflictError

RUNS, SUBTASKS = 3, 5
AGENTS = ("reader", "writer")
Happening = tuple[str, int, int]

few = st.one_of(st.none(), st.integers(1, 4))
teams = st.builds(
    TeamCaps,
    team=few,
    agents=st.dictionaries(st.sampled_from(AGENTS), st.integers(1, 3)),
    tools=st.dictionaries(st.sampled_from(["look", "write"]), st.integers(1, 3)),
).map(lambda one: one.model_copy(update={"users": {"reader": tuple(sorted(one.tools))}}))
acts = st.sampled_from(["claim"] * 5 + ["settle", "settle", "yield", "wait", "die", "cancel", "replace", "sweep"])
happenings = st.lists(st.tuples(acts, st.integers(0, RUNS - 1), st.integers(0, SUBTASKS - 1)), min_size=10, max_size=60)


class Play:
    """Some runs of a team in a real store, and the workers that serve them by wake-ups alone."""

    def __init__(self, store: SqlStore, clock: ShiftedClock, caps: TeamCaps, parallel: Sequence[int | None]) -> None:
        self._store, self._clock = store, clock
        self._team = new_id("team")
        self._worker = ""
        self.woken: list[str] = []
        self.caps: dict[str, RunCaps] = {}
        self.runs = [self._open(caps, most, n) for n, most in enumerate(parallel)]

    def _open(self, team: TeamCaps, parallel: int | None, n: int) -> str:
        run_id = new_id("r")
        rules = TeamRules(team=self._team, specialists=AGENTS)
        run = Run(
            id=run_id,
            tenant="t",
            goal=Goal(text="x"),
            rules=rules,
            team_blob="",
            trace="",
            created_at=self._clock.now(),
        )
        self.caps[run_id] = caps_of(run_id, "t", self._team, team, parallel)
        subtasks = tuple(
            NewSubtask(
                id=f"{run_id}/k{k}",
                run_id=run_id,
                key=f"k{k}",
                version=1,
                spec=SubtaskSpec(kind="specialist", agent=AGENTS[k % 2], title="x", instruction="x"),
                priority=-n,
            )
            for k in range(SUBTASKS)
        )
        opened = [OpenRun(run), CapRun(run_id, self.caps[run_id]), AddSubtasks(run_id, subtasks)]
        self.woken += self._store.apply(opened).ready
        return run_id

    def happen(self, act: str, run: int, k: int) -> None:
        """One thing happens to a subtask, if it can."""
        subtask = self._store.subtask(f"{self.runs[run]}/k{k}")
        assert subtask is not None
        match act, subtask.status:
            case "claim", _:
                self._claim(subtask.id)
            case "cancel", _ if k == 0:
                self._try_to(CancelRun(subtask.run_id, "x"))
            case "replace", _ if k == 0:
                self._apply(ReplaceUnstarted(subtask.run_id, "x"))
            case "sweep", _:
                self.sweep()
            case (("settle" | "yield" | "wait"), Status.RUNNING):
                self._give_back(act, subtask)
            case "die", Status.RUNNING:
                self._store.expire(subtask.owner or "")
                self._worker = "" if self._worker == subtask.owner else self._worker
            case _:
                pass

    def sweep(self) -> None:
        """What a sweeper does, an hour later."""
        self._clock.advance(3600)
        for held in self._store.abandoned(100):
            self._apply(Reclaim(held.subtask_id, held.owner, held.epoch))
        self._apply(*(Wake(one) for one in self._store.due(100)))
        self._apply(Admit(tuple(self._store.next_in_line(100))))
        self.woken += [*self._store.to_notify(100), *self._store.to_notify(100, "batch")]

    def finish(self) -> None:
        """Work until nothing is left: by wake-ups, and a sweep when there are none."""
        for _ in range(RUNS * SUBTASKS * 6):
            if not self.alive():
                return
            if not self.woken:
                self.sweep()
            self._claim(self.woken.pop(0) if self.woken else "none")
            for one in self.alive():
                if one.status is Status.RUNNING and one.owner == self._worker:
                    self._give_back("settle", one)
            self.check()

    def check(self) -> None:
        """No pool has more at work than it takes."""
        running = [one for one in self.alive() if one.status is Status.RUNNING]
        taken = Counter(pool for one in running for pool in self.caps[one.run_id].pools(one.spec.agent))
        most = {pool: cap for caps in self.caps.values() for pool, cap in caps.most().items()}
        assert all(taken[pool] <= most[pool] for pool in taken)

    def alive(self) -> list[Subtask]:
        """What has not ended."""
        return [one for run in self.runs for one in self._store.subtasks(run) if one.status not in FINAL]

    def _claim(self, subtask_id: str) -> None:
        if not self._worker:
            self._worker = new_id("w")
            self._store.register(self._worker, 10**8)
        self._store.claim(subtask_id, self._worker)

    def _give_back(self, act: str, one: Subtask) -> None:
        fence = Fence(one.id, one.owner or "", one.epoch, 0)
        finding = Finding(status="done", ending=Ending.ANSWER)
        change = {
            "settle": Settle(one.id, Status.DONE, finding),
            "yield": Yield(one.id),
            "wait": Wait(one.id, self._clock.now()),
        }[act]
        self.woken += self._store.apply([change], fence).ready

    def _apply(self, *changes: Reclaim | Wake | Admit | ReplaceUnstarted | CancelRun) -> None:
        self.woken += self._store.apply(changes).ready

    def _try_to(self, change: CancelRun) -> None:
        try:
            self._apply(change)
        except ConflictError:
            return


def play(
    store: SqlStore, clock: ShiftedClock, caps: TeamCaps, parallel: Sequence[int | None], what: Sequence[Happening]
) -> None:
    """Let everything happen, and look after each thing; when nothing more happens, all that is left gets its turn."""
    played = Play(store, clock, caps, parallel)
    for act, run, k in what:
        played.happen(act, run, k)
        played.check()
    played.finish()
    assert played.alive() == []


CASES = given(teams, st.lists(few, min_size=RUNS, max_size=RUNS), happenings)
SHARED = [HealthCheck.function_scoped_fixture]


@settings(max_examples=30, deadline=None, suppress_health_check=SHARED)
@CASES
def test_no_cap_is_exceeded_and_nobody_waits_for_ever_on_sqlite(
    sqlite_store: SqlStore, clock: ShiftedClock, caps: TeamCaps, parallel: list[int | None], what: list[Happening]
) -> None:
    """No pool ever has more at work than it takes, and in the end nothing is left."""
    play(sqlite_store, clock, caps, parallel, what)


@settings(max_examples=10, deadline=None, suppress_health_check=[*SHARED, HealthCheck.too_slow])
@CASES
def test_no_cap_is_exceeded_and_nobody_waits_for_ever_on_postgres(
    pg_store: SqlStore, clock: ShiftedClock, caps: TeamCaps, parallel: list[int | None], what: list[Happening]
) -> None:
    """The same."""
    play(pg_store, clock, caps, parallel, what)
