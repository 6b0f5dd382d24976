"""The auditor sees a budget or a cap that is exceeded while runs go on, and tells of each once."""

from collections.abc import Callable

from orchestrator.domain.goal import Limits
from orchestrator.domain.run import TeamRules
from orchestrator.engine.services.submitting import Request
from workers.proof.auditor import Auditor
from workers.proof.stage import Stage


def test_what_is_exceeded_is_told_once(stage: Stage, plant: Callable[[str], None]) -> None:
    """With the amounts; within its limits a run is not told of."""
    request = Request("g", {}, TeamRules(team="t", specialists=("a",)), "{}", {}, Limits(tokens=100), 3)
    run = stage.opened.submitter.submit(request, stage.scope, stage.actor).id
    plant("UPDATE subtasks SET status = 'running', owner = 'w'")
    plant(f"UPDATE ledger SET spent = 40, reserved = 60 WHERE account = '{run}'")
    auditor = Auditor(stage, {run: 1})
    auditor.tick([run])
    assert auditor.exceeded == []
    plant(f"UPDATE ledger SET reserved = 61 WHERE account = '{run}'")
    auditor = Auditor(stage, {run: 0})
    for _ in range(2):
        auditor.tick([run])
    assert auditor.exceeded == [
        f"run {run}: 101 tokens are used or set aside, 100 are allowed",
        f"run {run}: 1 subtasks are at work, 0 are allowed",
    ]
