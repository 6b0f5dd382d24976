"""Whatever the order in which calls are reserved, answered, lost and their workers die, no limit is ever exceeded."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.budget import Allowance, Amounts, Refusal, Shared, Tariff, accounts
from orchestrator.domain.changes import (
    AddSubtasks,
    EndRun,
    Fence,
    OpenAccounts,
    OpenRun,
    Reclaim,
    Reserve,
    SaveStep,
    SettleReservation,
    Yield,
)
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import new_id
from orchestrator.domain.run import Outcome, Run, TeamRules
from orchestrator.domain.step import Step, StepUsage
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec, subtask_id
from orchestrator.ports.clock import SystemClock

RUNS, SUBTASKS = 3, 3
MONTH = "2026-07"
Limits = list[int | None]
Happening = tuple[str, tuple[int, int], int]

places = st.tuples(st.integers(0, RUNS - 1), st.integers(0, SUBTASKS - 1))
reserves = st.tuples(st.just("reserve"), places, st.integers(1, 60))
answers = st.tuples(st.just("answer"), places, st.integers(0, 100))
others = st.tuples(st.sampled_from(["lose", "die", "yield", "end", "overrun"]), places, st.integers(0, 100))
happenings = st.lists(st.one_of(reserves, reserves, reserves, answers, answers, others), max_size=60)
limits = st.one_of(st.none(), st.integers(1, 400))


@dataclass
class Turn:
    """A claimed subtask, and what is set aside for its call in flight."""

    id: str
    worker: str
    epoch: int
    step: int
    reserved: int = 0

    @property
    def fence(self) -> Fence:
        """The right to write for it."""
        return Fence(self.id, self.worker, self.epoch, self.step, Tariff(input=1, output=1))


@dataclass
class World:
    """The store, and beside it what should be true: tokens charged and outstanding by run."""

    store: SqlStore
    runs: list[str]
    most: dict[str, int]
    """Limit by account."""
    chains: dict[str, list[str]]
    turns: dict[str, Turn] = field(default_factory=dict[str, Turn])
    charged: Counter[str] = field(default_factory=Counter[str])
    ended: set[str] = field(default_factory=set[str])
    overran: bool = False
    """True once a reply used more than was set aside for it."""

    def under(self, account: str) -> list[str]:
        """The runs that count in an account."""
        return [run for run in self.runs if account in self.chains[run]]

    def charged_to(self, account: str) -> int:
        """What was used for good there."""
        return sum(self.charged[run] for run in self.under(account))

    def outstanding(self, account: str) -> int:
        """What is set aside there for calls in flight."""
        return sum(turn.reserved for id_, turn in self.turns.items() if id_.split("/")[0] in self.under(account))

    def turn(self, run: str, key: str) -> Turn:
        """The turn of a subtask, begun if there is none."""
        id_ = subtask_id(run, key)
        if id_ not in self.turns:
            worker = new_id("w")
            self.store.register(worker, 3600)
            claimed = self.store.claim(id_, worker)
            assert claimed is not None
            self.turns[id_] = Turn(id_, worker, claimed.epoch, claimed.step)
        return self.turns[id_]


def reserve(world: World, run: str, key: str, need: int) -> None:
    """Refused exactly when it would not fit; for good exactly when it would not fit beside what is used for good.

    After an overrun, for which nobody had set anything aside, a run may still use up what it had drawn before.
    """
    turn = world.turn(run, key)
    turn.reserved = 0
    refusal = world.store.apply([Reserve(run, turn.id, Amounts(tokens=need))], turn.fence).refusal
    limiting = {account: world.most[account] for account in world.chains[run] if account in world.most}
    fits = all(world.charged_to(one) + world.outstanding(one) + need <= most for one, most in limiting.items())
    assert (refusal is None) == fits or (world.overran and refusal is None), refusal
    if isinstance(refusal, Refusal):
        assert refusal.spent == world.charged_to(refusal.account)
        assert refusal.busy == (refusal.spent + need <= refusal.most)
    elif limiting:
        turn.reserved = need


def answer(world: World, run: str, key: str, used: int) -> None:
    """A reply is stored; it used what was set aside at most, unless the server counts otherwise."""
    turn = world.turn(run, key)
    turn.step += 1
    usage = StepUsage(model="m", input_tokens=used, output_tokens=0, cost="0")
    world.store.apply([SaveStep(turn.id, Step(n=turn.step, usage=usage))], turn.fence)
    turn.reserved = 0
    world.charged[run] += used


def happen(world: World, what: str, run: str, key: str, amount: int) -> None:
    """One thing happens."""
    turn = world.turn(run, key)
    id_ = turn.id
    match what:
        case "reserve":
            reserve(world, run, key, amount)
        case "answer":
            answer(world, run, key, min(amount, turn.reserved))
        case "overrun":
            world.overran = True
            answer(world, run, key, turn.reserved + amount)
        case "lose":
            world.store.apply([SettleReservation(id_)], turn.fence)
            world.charged[run] += turn.reserved
            turn.reserved = 0
        case "die":
            world.store.expire(turn.worker)
            world.store.apply([Reclaim(id_, turn.worker, turn.epoch)])
            world.charged[run] += world.turns.pop(id_).reserved
        case "yield":
            world.store.apply([Yield(id_)], turn.fence)
            world.turns.pop(id_)
        case _:
            world.store.apply([EndRun(run, Outcome(status="done", reason="done"))])
            world.ended.add(run)
            for gone in [one for one in world.turns if one.startswith(f"{run}/")]:
                world.charged[run] += world.turns.pop(gone).reserved


def check(world: World) -> None:
    """Limits hold, and every account has given out what those below it hold."""
    for account, most in world.most.items():
        if not world.overran:
            assert world.charged_to(account) + world.outstanding(account) <= most
    for run in set(world.runs) - world.ended:
        for line in world.store.standing(run):
            below = [held for key in range(SUBTASKS) for held in world.store.standing(f"{run}/k{key}")]
            assert line.reserved == sum(one.held or 0 for one in below)
            assert line.spent + sum(one.spent for one in below) == world.charged[run]
            assert line.held is None or line.held >= line.spent + line.reserved
    for account in {one for chain in world.chains.values() for one in chain if one.startswith("team:")}:
        for line in world.store.standing(account):
            alive = [held for run in set(world.under(account)) - world.ended for held in world.store.standing(run)]
            assert line.reserved == sum(one.held or 0 for one in alive)
            assert line.spent == sum(world.charged[run] for run in set(world.under(account)) & world.ended)


def made(store: SqlStore, tenant: int | None, teams: Limits, own: Limits) -> World:
    """Three runs of two teams of one tenant with these limits."""
    who = new_id("t")
    runs = [new_id("r") for _ in range(RUNS)]
    most: dict[str, int] = {}
    chains: dict[str, list[str]] = {}
    for n, run in enumerate(runs):
        team = f"team{n % 2}"
        shared = Shared(who, team, MONTH, Allowance(tokens=teams[n % 2]), Allowance(tokens=tenant))
        chain = accounts(run, Allowance(tokens=own[n]), shared)
        most |= {one.id: one.most for one in chain if one.most is not None}
        chains[run] = [one.id for one in chain]
        rules = TeamRules(team=team, specialists=("worker",))
        spec = SubtaskSpec(kind="specialist", agent="worker", title="t", instruction="i")
        subtasks = [
            NewSubtask(id=subtask_id(run, f"k{k}"), run_id=run, key=f"k{k}", version=1, spec=spec)
            for k in range(SUBTASKS)
        ]
        opened = Run(
            id=run,
            tenant=who,
            goal=Goal(text="g"),
            rules=rules,
            team_blob="b",
            trace="t",
            created_at=SystemClock().now(),
        )
        store.apply([OpenRun(opened), AddSubtasks(run, tuple(subtasks)), OpenAccounts(chain, "stop")])
    return World(store, runs, most, chains)


def play(store: SqlStore, tenant: int | None, teams: Limits, own: Limits, things: Sequence[Happening]) -> None:
    """Let everything happen, and look after each thing."""
    world = made(store, tenant, teams, own)
    for what, (n, k), amount in things:
        if world.runs[n] not in world.ended:
            happen(world, what, world.runs[n], f"k{k}", amount)
            check(world)


CASES = given(
    limits, st.lists(limits, min_size=2, max_size=2), st.lists(limits, min_size=RUNS, max_size=RUNS), happenings
)
EASY = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(max_examples=60, deadline=None, suppress_health_check=EASY)
@CASES
def test_no_limit_is_exceeded_on_sqlite(
    sqlite_store: SqlStore, tenant: int | None, teams: Limits, own: Limits, things: list[Happening]
) -> None:
    """What is charged and what is set aside stay within every limit, on every level, at every moment."""
    play(sqlite_store, tenant, teams, own, things)


@settings(max_examples=25, deadline=None, suppress_health_check=EASY)
@CASES
def test_no_limit_is_exceeded_on_postgres(
    pg_store: SqlStore, tenant: int | None, teams: Limits, own: Limits, things: list[Happening]
) -> None:
    """The same."""
    play(pg_store, tenant, teams, own, things)
