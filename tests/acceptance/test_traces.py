"""One OpenTelemetry trace a run, across commands, workers and days."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.identity import Scope

TEAM = Path(__file__).parent / "crash" / "toil" / "team.toml"
ENV = {"PYTHONPATH": str(TEAM.parent)}


@pytest.fixture(params=[False, True], ids=["embedded", "servers"])
def on_servers(request: pytest.FixtureRequest) -> bool:
    """This test is run both ways, whatever the others are."""
    chosen: bool = request.param
    return chosen


def test_one_trace(remit: Any, tmp_path: Path) -> None:
    """All spans of a run hang on its one root, also those of another session's worker after a wait and an answer."""
    parameters = ["--param", "things=3", "--param", "ask=yes", "--param", f"log={tmp_path / 'log'}"]
    with remit.up(**ENV):
        waiting = remit("run", "Measure.", "--team", str(TEAM), *parameters, "--json", **ENV)
    assert waiting.code == 3, f"{waiting.err}\n{remit.logs()}"
    assert remit.processes() == []
    with remit.up(**ENV):
        ended = remit("tickets", "answer", waiting.json["tickets"][0]["id"], "blue", "--json", **ENV)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    with remit.store() as store:
        run = store.run(Scope(tenant="local"), ended.json["run"])
        turns = Counter({one.key: one.epoch for one in store.subtasks(run.id)})
        steps = [step for one in store.subtasks(run.id) for step in store.steps(one.id) if step.kind == "reply"]
    _, trace_id, root_id, _ = run.trace.split("-")
    spans = remit.spans(trace_id)
    by_id = {span.span_id: span for span in spans}
    (root,) = [span for span in spans if span.parent_id is None]
    assert (root.span_id, root.name, root.attributes["remit.status"]) == (root_id, "run toil", "done")
    assert [span.name for span in spans if span.parent_id and span.parent_id not in by_id] == []
    assert all(root.start <= span.start <= root.end for span in spans)
    named = Counter(span.name.split()[0] for span in spans)
    assert named == {
        "run": 1,
        "turn": turns.total(),
        "chat": len(steps),
        "execute_tool": sum(len(step.calls) for step in steps),
    }
    assert Counter(span.name.removeprefix("turn ") for span in spans if span.name.startswith("turn ")) == turns
    workers = {path.name.split("-worker-")[1].split("-")[0] for path in remit.trace_files() if "-worker-" in path.name}
    assert len(workers) == 2
    assert [span.error for span in spans if span.error] == []
