"""What the progress of a run tells of its cost, and of what its subtasks wait for."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from orchestrator.cli.progress import render
from orchestrator.cli.screen import THEME
from orchestrator.domain.budget import Tariff
from orchestrator.domain.goal import Goal, Limits
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.step import ModelUsage
from orchestrator.domain.subtask import NEVER, Status, Subtask, SubtaskSpec
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.services.reading import Progress

AT = datetime(2026, 7, 1, tzinfo=UTC)
KNOWN = ModelUsage(model="gpt-4o", calls=2, input_tokens=900, output_tokens=100, cost="0.02")
UNKNOWN = ModelUsage(model="llama", calls=1, input_tokens=90, output_tokens=10)


def shown(
    usage: Sequence[ModelUsage] = (),
    limits: Limits | None = None,
    subtasks: Sequence[Subtask] = (),
    tickets: Sequence[Ticket] = (),
) -> str:
    """The picture of a run."""
    rules = TeamRules(team="demo", specialists=("worker",))
    goal = Goal(text="g", limits=limits or Limits())
    run = Run(id="r1", tenant="t", goal=goal, rules=rules, team_blob="", trace="", created_at=AT)
    console = Console(width=150, file=StringIO(), color_system=None, theme=THEME)
    console.print(render(Progress(run, "running", subtasks, tickets, usage), AT))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("usage", "limits", "told"),
    [
        ([KNOWN], Limits(), "2 calls of gpt-4o · 1,000 tokens · $0.02\n"),
        ([UNKNOWN], Limits(), "1 call of llama · 100 tokens · llama has no known price\n"),
        (
            [KNOWN, UNKNOWN],
            Limits(cost=Decimal(1), tariff=Tariff(input=15_000_000, output=75_000_000)),
            "1,100 tokens · $0.02 · llama has no known price and counts at 15/75 USD per million tokens\n",
        ),
    ],
)
def test_the_cost_is_that_of_models_with_a_price(usage: Sequence[ModelUsage], limits: Limits, told: str) -> None:
    """Of the others it says that nobody knows, and what they count at; never that they cost nothing."""
    assert told in shown(usage, limits)


def waiting(key: str, **given: Any) -> Subtask:
    """A subtask that waits."""
    spec = SubtaskSpec(kind="specialist", agent="worker", title=key, instruction="i")
    fields: dict[str, Any] = {"number": 1, "version": 1, "status": Status.WAITING, "epoch": 1, "unmet": 0, **given}
    return Subtask(id=f"r1/{key}", run_id="r1", key=key, spec=spec, **fields)


def test_what_is_waited_for() -> None:
    """The own question, that of another about the same limit, or a later time."""
    asked = Ticket(id="t1", run_id="r1", subtask_id="r1/a", question="More?", topic="limit", step=1, opened_at=AT)
    subtasks = [waiting("a"), waiting("b", wake_at=NEVER), waiting("c", wake_at=AT)]
    lines = {line.split()[2]: line for line in shown(subtasks=subtasks, tickets=[asked]).splitlines() if " ? " in line}
    assert lines["a"].endswith("waits for t1")
    assert lines["b"].endswith("waits for t1")
    assert lines["c"].endswith("tries again later")
