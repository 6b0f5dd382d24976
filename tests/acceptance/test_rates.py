"""An endpoint that is asked too fast is left alone for as long as it says, by all workers."""

from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.script import Script
from agents.fake_model.serving import serve

TEAM = """
name = "oracle"

[planner]

[agents.oracle]
instructions_text = "You know."

[composer]

[reviewer]
"""
PAUSE = 4
SCRIPT = {
    "rules": [
        {"when": {}, "reply": {"fault": {"status": 429, "retry_after": PAUSE}}, "times": 1},
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
    with serve(Script.model_validate(SCRIPT)) as model:
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


def test_a_rate_that_cannot_be_read_is_one_line(remit: Any, goal: list[str], tmp_path: Path) -> None:
    """Before any run is opened."""
    rates = tmp_path / "rates.toml"
    rates.write_text('["fake"]\nrpm = "many"\n', encoding="utf-8")
    ended = remit(*goal, REMIT_RATES=str(rates), OPENAI_API_KEY="any", REMIT_MODEL="fake")
    (line,) = ended.err.splitlines()
    assert ended.code == 2
    assert f"{rates}: `fake.rpm`: input should be a valid integer" in line
