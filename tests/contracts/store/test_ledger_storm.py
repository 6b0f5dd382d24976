"""Fifty subtasks at once on four workers that are killed in between: nobody spends more than was allowed."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, Queue

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.budget import Allowance, Amounts, Shared, Tariff, accounts
from orchestrator.domain.changes import (
    AddSubtasks,
    Fence,
    OpenAccounts,
    OpenRun,
    Reclaim,
    Reserve,
    SaveStep,
    Settle,
    Yield,
)
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.identity import new_id
from orchestrator.domain.run import Run
from orchestrator.domain.step import Step, StepUsage
from orchestrator.domain.subtask import NewSubtask, Status
from orchestrator.errors import FencedError

WORKERS, THREADS, SUBTASKS, STEPS = 4, 4, 50, 12
OF_RUN, OF_TEAM, MOST_OF_A_CALL = 14_000, 20_000, 150
TEAM = "team:acme/demo/2026-07"
DONE, LIMITED = (Finding(status="done", ending=Ending.ANSWER), Finding(status="partial", ending=Ending.TOKEN_LIMIT))


@dataclass
class Endpoint:
    """Somebody who is paid for tokens, whatever becomes of who asked; the truth that the ledger must cover."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    paid: dict[str, int] = field(default_factory=dict[str, int])

    def asked(self, run_id: str, tokens: int) -> None:
        """A call is answered and paid for."""
        with self.lock:
            self.paid[run_id] = self.paid.get(run_id, 0) + tokens
            assert self.paid[run_id] <= OF_RUN
            assert sum(self.paid.values()) <= OF_TEAM


@dataclass
class Storm:
    """Workers on a queue of ready subtasks."""

    stores: list[SqlStore]
    endpoint: Endpoint
    ready: Queue[str]
    """No SimpleQueue: in Python 3.11 its `get` may wait for ever once its time is over and another took the item."""
    open: int
    killed: int = 0
    limited: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self, number: int) -> None:
        """Take subtasks until all have ended, or something breaks."""
        try:
            self._work(number)
        except BaseException:
            self.open = 0
            raise

    def _work(self, number: int) -> None:
        store, dice = self.stores[number % WORKERS], random.Random(number)
        while self.open > 0:
            try:
                subtask_id = self.ready.get(timeout=0.02)
            except Empty:
                continue
            worker = new_id("w", 12)
            store.register(worker, 3600)
            claimed = store.claim(subtask_id, worker)
            assert claimed is not None
            self._turn(store, dice, Fence(subtask_id, worker, claimed.epoch, claimed.step, Tariff(input=1, output=1)))

    def _turn(self, store: SqlStore, dice: random.Random, fence: Fence) -> None:
        run_id, step = fence.subtask_id.split("/")[0], len(store.steps(fence.subtask_id))
        while step < STEPS:
            need = dice.randint(50, MOST_OF_A_CALL)
            refusal = store.apply([Reserve(run_id, fence.subtask_id, Amounts(tokens=need))], fence).refusal
            if refusal is not None:
                self._refused(store, fence, busy=refusal.busy)
                return
            used = dice.randint(1, need)
            if dice.random() < 0.08:
                self._die(store, fence, used if dice.random() < 0.5 else 0)
                return
            self.endpoint.asked(run_id, used)
            step += 1
            usage = StepUsage(model="m", input_tokens=used, output_tokens=0, cost="0")
            fence = Fence(fence.subtask_id, fence.owner, fence.epoch, step, fence.tariff)
            store.apply([SaveStep(fence.subtask_id, Step(n=step, usage=usage))], fence)
            if dice.random() < 0.1:
                store.apply([Yield(fence.subtask_id)], fence)
                self.ready.put(fence.subtask_id)
                return
        self._end(store, fence, Status.DONE, DONE)

    def _refused(self, store: SqlStore, fence: Fence, *, busy: bool) -> None:
        if busy:
            store.apply([Yield(fence.subtask_id)], fence)
            self.ready.put(fence.subtask_id)
            return
        with self.lock:
            self.limited += 1
        self._end(store, fence, Status.PARTIAL, LIMITED)

    def _end(self, store: SqlStore, fence: Fence, status: Status, finding: Finding) -> None:
        store.apply([Settle(fence.subtask_id, status, finding)], fence)
        with self.lock:
            self.open -= 1

    def _die(self, store: SqlStore, fence: Fence, used: int) -> None:
        """The lease passes and another worker takes over, while the call may still be on its way and is paid for."""
        store.expire(fence.owner)
        other = self.stores[(self.stores.index(store) + 1) % WORKERS]
        other.apply([Reclaim(fence.subtask_id, fence.owner, fence.epoch)])
        self.endpoint.asked(fence.subtask_id.split("/")[0], used)
        with pytest.raises(FencedError):
            store.apply([SaveStep(fence.subtask_id, Step(n=99))], fence)
        with self.lock:
            self.killed += 1
        self.ready.put(fence.subtask_id)


def test_fifty_subtasks_on_four_workers_never_exceed_a_limit(
    store: SqlStore,
    store_url: str,
    clock: ShiftedClock,
    new_run: Callable[..., Run],
    new: Callable[..., NewSubtask],
) -> None:
    """What the endpoint was paid stays within the run's and the team's limit at every moment; the ledger covers it,
    and what it holds back at the end is less than one call may need."""
    shared = Shared("acme", "demo", "2026-07", Allowance(tokens=OF_TEAM), Allowance(tokens=10**9))
    ready: Queue[str] = Queue()
    for run_id in ("r1", "r2"):
        subtasks = tuple(new(f"k{n}", run_id=run_id) for n in range(SUBTASKS // 2))
        chain = accounts(run_id, Allowance(tokens=OF_RUN), shared)
        store.apply([OpenRun(new_run(run_id)), AddSubtasks(run_id, subtasks), OpenAccounts(chain, "stop")])
        for one in subtasks:
            ready.put(one.id)
    stores = [open_store(store_url, clock) for _ in range(WORKERS)]
    storm = Storm(stores, Endpoint(), ready, open=SUBTASKS)
    with ThreadPoolExecutor(WORKERS * THREADS) as pool:
        for done in [pool.submit(storm.work, number) for number in range(WORKERS * THREADS)]:
            done.result()
    for one in stores:
        one.close()
    assert storm.killed > 10
    assert storm.limited > 10
    spent = {run_id: store.standing(run_id)[0].spent for run_id in ("r1", "r2")}
    assert all(storm.endpoint.paid[run_id] <= spent[run_id] <= OF_RUN for run_id in spent)
    assert OF_TEAM - MOST_OF_A_CALL < sum(spent.values()) <= OF_TEAM
    assert [store.standing(run_id)[0].reserved for run_id in spent] == [0, 0]
    assert store.standing(TEAM)[0].reserved <= OF_TEAM
