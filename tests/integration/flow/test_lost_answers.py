"""A commit of a turn is refused once, or goes through and its answer is lost: the turn goes on, nobody dies of it."""

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
tools = ["till:send", "till:order", "calculator", "escalate"]
[composer]
[reviewer]
"""
COMMITS = [(1, 1), (2, 0), (2, 1), (2, 2), (3, 0)]
"""Step and results of those until a person is asked: what was read; two intents and their outcomes; the question."""


@pytest.fixture
def befallen(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, bool], list[tuple[int, int]]]:
    """From now on each commit of a step of `a` fails once, but for its last one; which this befell."""

    def disturb(store: Any, committed: bool) -> list[tuple[int, int]]:
        seen: list[tuple[int, int]] = []
        apply = store.apply

        def failing(changes: Any, fence: Any = None) -> Any:
            steps = [(one.step.n, len(one.step.results)) for one in changes if isinstance(one, SaveStep)]
            concerned = (
                steps and fence.subtask_id.endswith("/a") and not any(isinstance(one, Settle) for one in changes)
            )
            if not concerned or steps[0] in seen:
                return apply(changes, fence)
            seen.extend(steps)
            if committed:
                apply(changes, fence)
            raise StoreError("the connection broke")

        monkeypatch.setattr(store, "apply", failing)
        return seen

    return disturb


@pytest.mark.parametrize("committed", [False, True], ids=["refused", "answer lost"])
def test_a_turn_goes_on(
    flow: Callable[..., Any],
    befallen: Callable[[Any, bool], list[tuple[int, int]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    committed: bool,
) -> None:
    """Of a step that only read, of an intent, of its outcome, of a question: one turn, no death, each deed once, and
    nobody is asked what became of it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "till"))
    log = tmp_path / "deeds"

    def find(_: Any, request: Any) -> Any:
        if request.step == 1:
            return [("calculator", {"expression": "1 + 1"})]
        if request.step == 2:
            return [(tool, {"item": "book", "log": str(log)}) for tool in ("till.send", "till.order")]
        if request.step == 3:
            return [("escalate", {"question": "Really?", "answer_type": "text"})]
        return {"summary": "Bought.", "evidence": []}

    engine = flow(team=TEAM, specialist=find)
    seen = befallen(engine.store, committed)
    run_id = engine.run().run.id
    assert seen == COMMITS
    asked = engine.store.subtask(f"{run_id}/a")
    assert (asked.status, asked.epoch, asked.deaths) == ("waiting", 1, 0)
    assert engine.open_ticket(run_id).question == "Really?"
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["send", "order"]
    assert [one.status for one in engine.store.effects(run_id)] == ["happened", "happened"]
    assert engine.answer(run_id, "yes").state == "done"
    ended = engine.store.subtask(f"{run_id}/a")
    assert (ended.epoch, ended.deaths) == (2, 0)
