"""The model behind the agents: not there, away for a moment, unwilling."""

import json
import socket
from collections.abc import Callable
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
ANSWER = {"when": {"system": "You are the planner"}, "reply": {"text": '{"answer": "Yes."}'}}
PASS = {"when": {"system": "You are the reviewer"}, "reply": {"text": '{"verdict": "pass", "note": "good"}'}}


def script(*rules: dict[str, Any], key: str | None = None) -> Script:
    """A script with these rules before those of a model that answers at once."""
    return Script.model_validate({"rules": [*rules, ANSWER, PASS], "key": key})


@pytest.fixture
def goal(tmp_path: Path) -> list[str]:
    """A goal for a team of models."""
    path = tmp_path / "team.toml"
    path.write_text(TEAM, encoding="utf-8")
    return ["run", "Is it so?", "--team", str(path)]


def env(url: str) -> dict[str, str]:
    """The environment that names the model."""
    return {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake"}


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.embedded  # of many machines, only the workers need to reach the model
def test_nobody_there(remit: Any, goal: list[str]) -> None:
    """An endpoint that cannot be reached, or does not accept the key, is one line; no run is opened."""
    url = f"http://127.0.0.1:{closed_port()}/v1"
    ended = remit(*goal, **env(url))
    (line,) = ended.err.splitlines()
    assert ended.code == 2
    assert line.startswith(f"remit: the endpoint {url} did not answer: ")
    assert line.endswith("Check that the server runs and that OPENAI_BASE_URL is its address.")
    with serve(script(key="another")) as model:
        ended = remit(*goal, **env(model.url))
    (line,) = ended.err.splitlines()
    assert ended.code == 2
    assert "did not accept the key" in line
    assert "OPENAI_API_KEY" in line
    assert not (remit.home / "remit.db").exists()
    assert remit.processes() == []


def test_away_for_a_moment(remit: Any, goal: list[str], until: Callable[..., None]) -> None:
    """After all tries the subtask waits as a row and goes on by itself; the run goes on, for nobody is asked."""
    fault = {"when": {"system": "You are the planner"}, "reply": {"fault": {"status": 503}}, "times": 3}
    with serve(script(fault)) as model:
        process = remit.start(*goal, "--json", **env(model.url))
        until(lambda: len(model.requests) == 3, process)
        ended = remit.ended(process)
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
        assert (ended.json["status"], ended.json["answer"]) == ("done", "Yes.")
        assert len(model.requests) == 5
        assert ended.json["usage"]["calls"] == 2


def test_unwilling(remit: Any, goal: list[str], tmp_path: Path) -> None:
    """A request that is refused would be refused again: the run fails at once and says why."""
    fault = {"when": {}, "reply": {"fault": {"status": 404, "message": "no model fake here"}}}
    with serve(script(fault)) as model:
        ended = remit(*goal, "--out", str(tmp_path / "out"), **env(model.url))
        assert len(model.requests) == 1
    assert ended.code == 1, f"{ended.err}\n{remit.logs()}"
    assert "no model fake here" in " ".join(ended.out.split()).split("Failed")[-1]
    assert json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))["status"] == "failed"
    assert "no model fake here" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_a_call_in_flight_ends_with_its_run(
    remit: Any, goal: list[str], tmp_path: Path, until: Callable[..., None]
) -> None:
    """A model that thinks for ten minutes is not listened to any longer than somebody wants its answer."""
    (tmp_path / "team.toml").write_text(TEAM.replace("[planner]", "[planner]\ntimeout = 600"), encoding="utf-8")
    slow = {"when": {"system": "You are the planner"}, "reply": {"text": '{"answer": "Yes."}', "latency_ms": 600_000}}
    with serve(script(slow)) as model, remit.up(**env(model.url)):
        process = remit.start(*goal, "--json", **env(model.url))
        until(lambda: bool(model.requests), process)
        (worker,) = remit.workers()
        port = int(model.url.split(":")[2].split("/")[0])

        def listens() -> bool:
            peers = [one.raddr for one in worker.net_connections("tcp") if one.status == "ESTABLISHED"]
            return any(peer.port == port for peer in peers if peer)

        assert listens()
        (run,) = remit("runs", "list", "--json").json
        assert remit("runs", "cancel", run["run"]).code == 0
        until(lambda: not listens())
        ended = remit.ended(process)
        assert (ended.code, ended.json["status"]) == (1, "cancelled")
        assert remit.workers() == [worker]
    assert len(model.requests) == 1
