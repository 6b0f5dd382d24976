"""A run that waited while its tools changed goes on only when a person says so; what did not change asks nobody."""

import json
from collections.abc import Callable
from typing import Any

from agents.catalog import pin
from orchestrator.domain.goal import Limits
from orchestrator.domain.run import Run
from orchestrator.engine.services.submitting import Request, Submitter

Make = Callable[..., Any]


def opened_before(engine: Any, **tools: dict[str, Any]) -> Run:
    """A run that was opened when these tools were otherwise."""
    pinned = json.loads(pin(engine.team))
    for name, was in tools.items():
        pinned["tools"][name] |= was
    submitter = Submitter(engine.applier, engine.blobs, engine.clock, engine.telemetry)
    request = Request("Find out.", {}, engine.team.rules(), json.dumps(pinned), {}, Limits())
    return submitter.submit(request, engine.scope, engine.actor)


def test_a_person_decides_about_changed_tools(flow: Make) -> None:
    """The ticket says what changed; the agent reads the answer, and nobody is asked twice."""
    read: list[str] = []

    def find(briefing: Any, request: Any) -> Any:
        read.extend(one.text for one in request.messages[2:] if one.role == "user")
        if request.messages[-1].role != "tool":
            return [("calculator", {"expression": briefing["instruction"]})]
        return {"summary": "1 + 1 = 2 [E2.1]", "evidence": ["E2.1"]}

    engine = flow(specialist=find)
    run = opened_before(engine, calculator={"effect": "unsafe"})
    engine.work()
    ticket = engine.open_ticket(run.id)
    assert (ticket.topic, ticket.question) == (
        "tools",
        "Tools of «A» are not what they were when its run was opened. Shall it go on?",
    )
    assert ticket.tried == "- tool `calculator` had the effect `unsafe`, now it has `read`"
    assert read == []
    progress = engine.answer(run.id, "go_on")
    assert progress.state == "done"
    assert read[0].endswith("A person answers: go_on")
    assert len(engine.store.tickets(engine.scope, run_id=run.id)) == 1


def test_stopped_it_has_failed_and_the_answer_says_so(flow: Make) -> None:
    """As any subtask that cannot be done: it is planned around, or given up."""

    def plan(briefing: Any, request: Any) -> Any:
        del request
        if briefing["predecessors"]:
            return {"answer": "There is no other way."}
        return {"subtasks": [{"key": "a", "agent": "finder", "title": "A", "instruction": "1 + 1"}]}

    engine = flow(planner=plan)
    run = opened_before(engine, calculator={"effect": "unsafe"})
    engine.work()
    engine.answer(run.id, "stop")
    assert "its tools are not what they were" in engine.result(run.id).data["answer"]


def test_tools_of_others_and_other_words_ask_nobody(flow: Make) -> None:
    """A new description is no change."""
    engine = flow()
    arguments = json.loads(pin(engine.team))["tools"]["calculator"]["arguments"]
    run = opened_before(engine, calculator={"arguments": {**arguments, "description": "It used to be described so."}})
    engine.work()
    assert engine.progress(run.id).state == "done"
