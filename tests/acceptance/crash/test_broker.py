"""The broker is emptied, killed and flooded in the middle of runs; each ends with the same result as undisturbed."""

import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.domain.identity import Scope
from workers.embedded.valkey import kombu_url

THINGS = 6
SQUARES = [n * n for n in range(1, THINGS + 1)]


@pytest.mark.slow
@pytest.mark.embedded  # a supervisor brings the broker back
def test_emptied_and_killed_broker(
    remit: Any, toil: Any, toil_env: dict[str, str], outcome: Any, until: Callable[..., None]
) -> None:
    """FLUSHALL with queued, running and waiting subtasks, then SIGKILL to the broker; later an answer goes on once."""
    rng = random.Random(7)
    with remit.up(**toil_env):
        calm = remit(*toil.command(THINGS, ask="yes"), "--json", **toil_env)
        calm = remit("tickets", "answer", calm.json["tickets"][0]["id"], "blue", "--json", **toil_env)
        assert calm.code == 0, f"{calm.err}\n{remit.logs()}"
        toil.log.unlink()
        process = remit.start(*toil.command(THINGS, 0.1, ask="yes"), "--json", **toil_env)
        moment = 0
        for enemy in ("flush", "flush", "kill"):
            moment += rng.randint(1, 7)
            until(toil.has(moment), process)
            if enemy == "flush":
                with remit.broker() as broker:
                    broker.flushall()
            else:
                (server,) = remit.brokers()
                server.send_signal(signal.SIGKILL)
        waiting = remit.ended(process)
        assert waiting.code == 3, f"{waiting.err}\n{remit.logs()}"
        with remit.broker() as broker:
            broker.flushall()
        ended = remit("tickets", "answer", waiting.json["tickets"][0]["id"], "blue", "--json", **toil_env)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert (ended.json["sizes"], ended.json["words"]) == (SQUARES, ["blue"])
    assert outcome(ended.json) == outcome(calm.json)
    assert toil.once(THINGS)


def test_flood_of_wake_ups(remit: Any, toil: Any, toil_env: dict[str, str], until: Callable[..., None]) -> None:
    """Ten wake-ups at once for everything, ready or not, waiting, ended or unknown: each step happens once."""
    with remit.up(**toil_env):
        run = remit(*toil.command(THINGS, 0.1, ask="yes"), "--detach", **toil_env).out.strip()
        broker = CeleryBroker(kombu_url(remit.broker_socket), "remit")
        with remit.store() as store:

            def flood() -> bool:
                known = [one.id for one in store.subtasks(run)]
                broker.wake([id_ for id_ in (*known, f"{run}/none", "rnone/plan", "") for _ in range(10)])
                return toil.once(THINGS) and any(t.status == "open" for t in store.tickets(Scope(tenant="local")))

            until(flood)
            ticket = store.tickets(Scope(tenant="local"))[0].id
            ended = remit("tickets", "answer", ticket, "blue", "--json", **toil_env)
            flood()
            subtasks = store.subtasks(run)
        broker.close()
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert (ended.json["sizes"], ended.json["words"]) == (SQUARES, ["blue"])
    assert toil.once(THINGS)
    assert {one.key: one.deaths for one in subtasks if one.deaths} == {}
    turns = {one.key: one.epoch for one in subtasks}
    assert turns == {one.key: 2 if one.key in {"work", "ask"} else 1 for one in subtasks}
