"""Contract of care: old runs go with all that hangs on them, and nothing of those that stay is touched."""

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from orchestrator.adapters.blobs import FolderBlobs
from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.care.sql_care import SqlCare
from orchestrator.adapters.sql.schema import metadata
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.identity import Scope
from orchestrator.engine.services import caring
from orchestrator.engine.services.caring import Caretaker
from orchestrator.errors import NotFoundError

OpenRun = Callable[..., None]
EndRun = Callable[[str], None]
DAY = 86_400
ACME = Scope(tenant="acme")


def pruned(caretaker: Caretaker, before: datetime) -> tuple[int, int, int]:
    """Runs, subtasks and contents that went."""
    done = list(caretaker.prune(before))
    return sum(one.runs for one in done), sum(one.subtasks for one in done), sum(one.swept.contents for one in done)


def rows(engine: Engine) -> Mapping[str, int]:
    """How many rows each table has, empty ones left out."""
    with engine.connect() as connection:
        found = {
            one.name: connection.execute(text(f"SELECT count(*) FROM {one.name}")).scalar()
            for one in metadata.sorted_tables
        }
    return {name: count for name, count in found.items() if count}


def test_an_old_run_goes_with_all_its_rows(
    caretaker: Caretaker, open_run: OpenRun, end_run: EndRun, store: SqlStore, clock: ShiftedClock, engine: Engine
) -> None:
    """Only its worker's lease and what its team has used this month are left; so are runs that are younger."""
    open_run("r1")
    end_run("r1")
    clock.advance(50 * DAY)
    open_run("r2")
    end_run("r2")
    younger = {name: count for name, count in rows(engine).items() if name not in {"workers", "ledger"}}
    before = clock.now() - timedelta(days=10)
    assert [(old.run_id, old.subtasks) for old in caretaker.old_runs(before)] == [("r1", 2)]
    assert pruned(caretaker, before) == (1, 2, 4)
    with pytest.raises(NotFoundError):
        store.run(ACME, "r1")
    left = {name: count for name, count in rows(engine).items() if name not in {"workers", "ledger"}}
    assert {name: 2 * count for name, count in left.items()} == younger
    assert list(caretaker.faults()) == []
    assert pruned(caretaker, clock.now() + timedelta(days=1)) == (1, 2, 4)
    assert set(rows(engine)) == {"workers", "ledger"}


def test_a_run_that_goes_on_is_never_old(
    caretaker: Caretaker, open_run: OpenRun, clock: ShiftedClock, engine: Engine
) -> None:
    """However long it waits; nor one of which something is still at work."""
    open_run("r1")
    clock.advance(1000 * DAY)
    assert pruned(caretaker, clock.now()) == (0, 0, 0)
    moment = "now()" if engine.dialect.name == "postgresql" else "1"
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE runs SET status = 'done', finished_at = {moment}"))
    assert list(caretaker.old_runs(clock.now())) == []
    assert pruned(caretaker, clock.now()) == (0, 0, 0)


def test_contents_that_others_refer_to_stay(
    caretaker: Caretaker, open_run: OpenRun, end_run: EndRun, clock: ShiftedClock, blobs: FolderBlobs
) -> None:
    """Two runs with the same input and team: the kept one keeps both."""
    open_run("r1", team=b"team", input=b"table")
    end_run("r1")
    clock.advance(30 * DAY)
    open_run("r2", team=b"team", input=b"table")
    assert pruned(caretaker, clock.now() - timedelta(days=7)) == (1, 2, 2)
    kept = {blobs.put(one) for one in (b"team", b"table", b"r2 large", b"r2 file")}
    assert dict(blobs.stored()).keys() == kept
    assert list(caretaker.faults()) == []


def test_many_runs_go_some_at_a_time(
    caretaker: Caretaker, open_run: OpenRun, end_run: EndRun, clock: ShiftedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction removes no more subtasks than are removed quickly, and at least one run."""
    for number in range(5):
        open_run(f"r{number}")
        end_run(f"r{number}")
    clock.advance(DAY)
    for most, expected in ((5, [2, 2, 1, 0]), (1, [1, 1, 1, 0])):
        monkeypatch.setattr(caring, "MOST_SUBTASKS", most)
        monkeypatch.setattr(caring, "BATCH", 2)
        assert [one.runs for one in caretaker.prune(clock.now())] == expected
        for number in range(5, 8) if most == 5 else ():
            open_run(f"r{number}")
            end_run(f"r{number}")
        clock.advance(DAY)


def test_a_run_that_is_not_old_any_more_stays(
    care: SqlCare, open_run: OpenRun, end_run: EndRun, clock: ShiftedClock
) -> None:
    """Whoever removes looks again, in the transaction that removes."""
    open_run("r1")
    open_run("r2")
    end_run("r2")
    clock.advance(DAY)
    assert care.remove_runs(["r1", "r2", "r3"], clock.now() - timedelta(days=7)) == []
    assert care.remove_runs(["r1", "r2", "r3"], clock.now()) == ["r2"]


def test_traces_that_no_kept_run_is_in_go(
    caretaker: Caretaker, open_run: OpenRun, end_run: EndRun, clock: ShiftedClock, tmp_path: Path
) -> None:
    """A file of an old day that also tells of a run that is kept stays, and so does a young file."""
    folder = tmp_path / "traces"
    folder.mkdir()
    gone, kept = "a" * 32, "b" * 32
    for name, traces in {"old": [gone], "shared": [gone, kept], "young": [gone]}.items():
        (folder / f"{name}.jsonl").write_text("".join(f"{spans(trace)}\n" for trace in traces), "utf-8")
    tomorrow = clock.now().timestamp() + DAY
    for name, moment in {"old": 1, "shared": 1, "young": tomorrow}.items():
        os.utime(folder / f"{name}.jsonl", (moment, moment))
    open_run("r1", trace=f"00-{gone}-{'1' * 16}-01")
    end_run("r1")
    open_run("r2", trace=f"00-{kept}-{'1' * 16}-01")
    clock.advance(60)
    (*_, last) = caretaker.prune(clock.now())
    assert last.traces == 1
    assert sorted(path.stem for path in folder.iterdir()) == ["shared", "young"]


def spans(trace: str) -> str:
    """A line of a file of traces with one span."""
    span = {
        "traceId": trace,
        "spanId": "1" * 16,
        "name": "x",
        "kind": 1,
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [],
        "events": [],
        "links": [],
        "status": {},
    }
    scopes = [{"scope": {"name": "x"}, "spans": [span]}]
    return json.dumps({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": scopes}]})


def test_leases_that_passed_long_ago_are_forgotten(store: SqlStore, open_run: OpenRun, engine: Engine) -> None:
    """When the next worker begins; one whose subtask nobody has taken from it yet is kept."""
    open_run("r1")

    def known() -> set[str]:
        with engine.connect() as connection:
            return set(connection.execute(text("SELECT id FROM workers")).scalars())

    for worker in ("long", "lately"):
        store.register(worker, 1)
    with engine.begin() as connection:
        long_ago = "now() - interval '2 days'" if engine.dialect.name == "postgresql" else "1"
        connection.execute(text(f"UPDATE workers SET until = {long_ago} WHERE id <> 'lately'"))
    store.register("new", 60)
    assert known() == {"lately", "new", "w-r1"}
    assert [held.owner for held in store.abandoned(10)] == ["w-r1"]


def test_beside_those_who_write(
    caretaker: Caretaker, care: SqlCare, open_run: OpenRun, end_run: EndRun, clock: ShiftedClock
) -> None:
    """Runs are handed in and end while old ones go: nobody is refused, and what is left is whole."""
    for number in range(5):
        open_run(f"old{number}")
        end_run(f"old{number}")
    clock.advance(DAY)
    before = clock.now() - timedelta(hours=1)

    def write(writer: int) -> None:
        for number in range(4):
            open_run(f"new{writer}.{number}")
            end_run(f"new{writer}.{number}")

    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write, writer) for writer in range(2)]
        removing = [pool.submit(care.remove_runs, [f"old{number}" for number in range(5)], before) for _ in range(2)]
        for one in writing:
            one.result()
        gone = [run_id for one in removing for run_id in one.result()]
    assert sorted(gone) == [f"old{number}" for number in range(5)]
    assert list(caretaker.faults()) == []
    assert care.counts()["runs"] == 8
