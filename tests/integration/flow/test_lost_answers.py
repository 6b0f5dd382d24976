"""A commit went through and its answer was lost: the turn finds that out and goes on, nobody dies of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.changes import SaveStep, Settle
from orchestrator.errors import StoreError

TEAM = """
name = "shop"
[planner]
[agents.finder]
instructions_text = "Buy."
tools = ["till:pay", "till:order", "calculator", "escalate"]
[composer]
[reviewer]
"""


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """From now on the answer to each commit of a step of `a` but its last is lost; the steps that this befell."""

    def lose(store: Any) -> list[int]:
        befallen: list[int] = []
        apply = store.apply

        def losing(changes: Any, fence: Any = None) -> Any:
            applied = apply(changes, fence)
            steps = [one.step.n for one in changes if isinstance(one, SaveStep)]
            if steps and fence.subtask_id.endswith("/a") and not any(isinstance(one, Settle) for one in changes):
                befallen.extend(steps)
                raise StoreError("the connection broke while a commit was on its way; it may have been done")
            return applied

        monkeypatch.setattr(store, "apply", losing)
        return befallen

    return lose


def test_a_turn_goes_on_after_lost_answers(
    flow: Callable[..., Any], lost: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of a step that only read, of an intent, of its outcome, of a question: one turn, no death, each deed once."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "till"))
    log = tmp_path / "deeds"

    def find(_: Any, request: Any) -> Any:
        if request.step == 1:
            return [("calculator", {"expression": "1 + 1"})]
        if request.step == 2:
            return [(tool, {"item": "book", "log": str(log)}) for tool in ("till.pay", "till.order")]
        if request.step == 3:
            return [("escalate", {"question": "Really?", "answer_type": "text"})]
        return {"summary": "Bought.", "evidence": []}

    engine = flow(team=TEAM, specialist=find)
    befallen = lost(engine.store)
    run_id = engine.run().run.id
    assert befallen == [1, 2, 2, 2, 3]
    asked = engine.store.subtask(f"{run_id}/a")
    assert (asked.status, asked.epoch, asked.deaths) == ("waiting", 1, 0)
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["pay", "order"]
    assert [one.status for one in engine.store.effects(run_id)] == ["happened", "happened"]
    assert engine.answer(run_id, "yes").state == "done"
    ended = engine.store.subtask(f"{run_id}/a")
    assert (ended.epoch, ended.deaths) == (2, 0)
