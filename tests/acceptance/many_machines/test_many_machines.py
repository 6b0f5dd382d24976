"""One code path: workers and commands on many machines give the same result as everything on one."""

import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.identity import Scope

AWAY_SECONDS = 3.0
TEAM = Path(__file__).parent.parent / "crash" / "toil" / "team.toml"
LEFT = [
    ["invoice", "date", "customer", "amount"],
    ["INV-1001", "2026-03-01", "Acme", "12.50"],
    ["INV-1002", "2026-03-02", "Bolt", "7.00"],
    ["INV-1003", "2026-03-03", "Crux", "99.90"],
]
RIGHT = [
    ["date", "text", "amount"],
    ["2026-03-02", "Acme INV-1001", "12.50"],
    ["2026-03-02", "Bolt INV-1002", "6.98"],
]


def bare(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the run's id."""
    return {name: value for name, value in result.items() if name != "run"}


@pytest.mark.slow
def test_the_same_result(
    remit: Any,
    new_remit: Callable[[str], Any],
    shared: Any,
    start_worker: Callable[[str], Any],
    write_table: Callable[[str, Sequence[Sequence[str]]], Path],
    tmp_path: Path,
) -> None:
    """Two workers, a broker on a port and PostgreSQL: the same result, readable from a third machine on any day."""
    tables = [str(write_table("left.csv", LEFT)), str(write_table("right.csv", RIGHT))]
    embedded = remit("reconcile", *tables, "--out", str(tmp_path / "one"), "--json")
    assert embedded.code == 0, f"{embedded.err}\n{remit.logs()}"
    asker, reader = new_remit("asker"), new_remit("reader")
    alone = asker("doctor", **shared.env)
    assert (alone.code, "none is at work: runs will wait. Start some with `remit worker`." in alone.out) == (1, True)
    noted = asker("run", "Measure.", "--team", str(TEAM), "--detach", **shared.env)
    assert (noted.code, "no worker is at work" in noted.err) == (0, True)
    assert asker("runs", "cancel", noted.out.strip(), **shared.env).code == 0
    for name in ("first", "second"):
        start_worker(name)
    helped = asker("doctor", **shared.env)
    assert (helped.code, "2 at work" in helped.out) == (0, True), helped.out
    ended = asker("reconcile", *tables, "--json", **shared.env)
    assert (ended.code, ended.err) == (0, "")
    assert bare(ended.json) == bare(embedded.json)
    assert not (asker.home / "remit.db").exists()
    assert not (asker.home / "run").exists()
    (tmp_path / "left.csv").unlink()
    assert reader("runs", "result", ended.json["run"], "--out", str(tmp_path / "many"), **shared.env).code == 0
    for name in ("report.md", "exceptions.csv"):
        assert (tmp_path / "many" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


@pytest.mark.slow
def test_a_stopped_worker_and_a_broker_that_is_away(
    new_remit: Callable[[str], Any],
    shared: Any,
    start_worker: Callable[[str], Any],
    until: Callable[..., None],
    tmp_path: Path,
) -> None:
    """The broker is killed and away for 3 s, then one of two workers is told to stop: nothing is lost or done twice."""
    stopped, _ = start_worker("first"), start_worker("second")
    log = tmp_path / "toil.log"
    given = {"things": "8", "seconds": "0.2", "log": str(log), "ask": "yes"}
    parameters = [part for name, value in given.items() for part in ("--param", f"{name}={value}")]
    asker = new_remit("asker")
    command = asker.start("run", "Measure.", "--team", str(TEAM), *parameters, "--json", **shared.env)

    def lines() -> list[str]:
        return log.read_text().splitlines() if log.exists() else []

    until(lambda: len(lines()) >= 5, command)
    shared.kill()
    back = time.monotonic() + AWAY_SECONDS
    until(lambda: time.monotonic() >= back, command)
    shared.start()
    before = len(lines())
    until(lambda: len(lines()) > before, command)
    stopped.send_signal(signal.SIGTERM)
    assert stopped.wait(timeout=60) == 0
    ended = asker.ended(command)
    assert ended.code == 3, ended.err
    answered = asker("tickets", "answer", ended.json["tickets"][0]["id"], "red", "--json", **shared.env)
    assert answered.code == 0, answered.err
    assert (answered.json["sizes"], answered.json["words"]) == ([1, 4, 9, 16, 25, 36, 49, 64], ["red"])
    assert set(Counter(lines()).values()) == {1}
    store = shared.store()
    assert [one.deaths for one in store.subtasks(ended.json["run"]) if one.deaths] == []
    assert [ticket.status for ticket in store.tickets(Scope(tenant="local"))] == ["answered"]
    store.close()
