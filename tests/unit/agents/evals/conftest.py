"""Cases and trials made by hand."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.evals.case import Case, Expected
from agents.evals.trial import MadeCall, Trial
from orchestrator.domain.goal import Limits
from orchestrator.domain.ticket import Ticket


@pytest.fixture
def case() -> Callable[..., Case]:
    """Makes a case from what it expects."""

    def make(name: str = "one", limits: Limits | None = None, **expect: Any) -> Case:
        return Case(
            name=name,
            goal="How much?",
            team="shop",
            tools=(),
            inputs={},
            parameters={},
            people=(),
            limits=limits or Limits(),
            expect=Expected.model_validate(expect),
            source="cases.yaml:1",
        )

    return make


@pytest.fixture
def trial() -> Callable[..., Trial]:
    """Makes a trial that is done, from what is said of it."""

    def make(**facts: Any) -> Trial:
        return Trial.model_validate({"state": "done", **facts})

    return make


@pytest.fixture
def made() -> Callable[..., MadeCall]:
    """Makes a call that succeeded."""

    def make(
        tool: str, *, ok: bool | None = True, agent: str = "clerk", effect: str = "read", **given: Any
    ) -> MadeCall:
        facts = {"agent": agent, "tool": tool, "arguments": given, "ok": ok, "effect": effect}
        return MadeCall.model_validate(facts)

    return make


@pytest.fixture
def ticket() -> Callable[..., Ticket]:
    """Makes an open ticket."""

    def make(question: str, **facts: Any) -> Ticket:
        base: dict[str, Any] = {"id": "t1", "run_id": "r1", "subtask_id": "r1/a", "step": 1}
        base |= {"opened_at": datetime(2026, 1, 1, tzinfo=UTC), "question": question}
        return Ticket.model_validate({**base, **facts})

    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of cases."""

    def put(text: str, name: str = "cases.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return put
