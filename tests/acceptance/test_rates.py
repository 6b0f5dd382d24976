"""An endpoint that is asked too fast is left alone for as long as it says, by all workers."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.script import Script
from agents.fake_model.serving import serve
from orchestrator.domain.identity import Scope
from orchestrator.domain.subtask import Status
from orchestrator.ports.clock import SystemClock

TEAM = """
name = "oracle"

[planner]

[agents.oracle]
instructions_text = "You know."

[composer]

[reviewer]
"""
PAUSE = 4


def refusing(seconds: float) -> dict[str, Any]:
    """An endpoint that refuses the first request, and wants to be left alone for so long."""
    return {
        "rules": [
            {"when": {}, "reply": {"fault": {"status": 429, "retry_after": seconds}}, "times": 1},
            {"when": {"system": "You are the planner"}, "reply": {"text": '{"answer": "Yes."}'}},
            {"when": {"system": "You are the reviewer"}, "reply": {"text": '{"verdict": "pass", "note": "good"}'}},
        ]
    }


@pytest.fixture
def goal(tmp_path: Path) -> list[str]:
    """A goal for a team of models."""
    path = tmp_path / "team.toml"
    path.write_text(TEAM, encoding="utf-8")
    return ["run", "Is it so?", "--team", str(path)]


def test_a_refusal_is_heard_and_kept_where_all_workers_look(remit: Any, goal: list[str]) -> None:
    """The same request comes no sooner than asked; what was learned lies in the broker's server, for an hour."""
    with serve(Script.model_validate(refusing(PAUSE))) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake", "REMIT_RPM": "5000"}
        with remit.up(**env):
            ended = remit(*goal, "--json", **env)
            assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
            with remit.broker() as broker:
                (key,) = [one for one in broker.scan_iter("*rate:*") if not one.endswith((b":runs", b":line"))]
                known = broker.hgetall(key)
                assert 0 < broker.ttl(key) <= 3600
        assert key.decode().endswith(f":rate:127.0.0.1:{model.port}/fake")
        assert float(known[b"learned"]) > 0
        refused, again, *rest = model.requests
        assert [refused.outcome.status, again.outcome.status, len(rest)] == [429, 200, 1]
        assert again.at - refused.at >= PAUSE
        assert ended.json["answer"] == "Yes."


def test_a_long_wait_outlives_everything(
    remit: Any, on_servers: bool, goal: list[str], until: Callable[..., None]
) -> None:
    """Told to come back in an hour, a subtask waits as a row: worker, broker and supervisor end and start anew, nothing
    is asked meanwhile, and when its time has come it goes on."""
    with serve(Script.model_validate(refusing(3600))) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake"}
        with remit.up(**env) as up, remit.store() as store:
            run = remit(*goal, "--detach", **env).out.strip()
            until(lambda: store.subtask(f"{run}/plan").status is Status.WAITING, up)
        with remit.store() as store:
            plan = store.subtask(f"{run}/plan")
            assert (plan.status, plan.tries) == (Status.WAITING, 0)
            assert plan.wake_at - SystemClock().now() > timedelta(minutes=30)
        remit.sql("UPDATE subtasks SET wake_at = (SELECT created_at FROM runs) WHERE wake_at IS NOT NULL")
        assert [one.outcome.status for one in model.requests] == [429]
        if on_servers:  # the broker did not end, and knows that the endpoint is to be left alone
            with remit.broker() as broker:
                broker.flushall()
        with remit.up(**env) as up, remit.store() as store:
            until(lambda: store.run(Scope(tenant="local"), run).status == "done", up)
        assert [one.outcome.status for one in model.requests] == [429, 200, 200]


def test_a_rate_that_cannot_be_read_is_one_line(remit: Any, goal: list[str], tmp_path: Path) -> None:
    """Before any run is opened."""
    rates = tmp_path / "rates.toml"
    rates.write_text('["fake"]\nrpm = "many"\n', encoding="utf-8")
    ended = remit(*goal, REMIT_RATES=str(rates), OPENAI_API_KEY="any", REMIT_MODEL="fake")
    (line,) = ended.err.splitlines()
    assert ended.code == 2
    assert f"{rates}: `fake.rpm`: input should be a valid integer" in line
