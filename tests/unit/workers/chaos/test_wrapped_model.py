"""A disturbed model is asked until its reply arrives, and whoever listens hears of each try what a client tells."""

from pathlib import Path

from agents.models.base import Message, ModelReply, ModelRequest, Usage
from agents.models.openai_chat.tries import TryEvent
from orchestrator.ports.clock import Deadline
from workers.chaos.faults import Faults
from workers.chaos.plan import Plan, write_plan
from workers.chaos.points import Fault
from workers.chaos.wrapped_agents import COUNTED, DisturbedModel

REQUEST = ModelRequest((Message("user", "x" * 376),), (), 1, Deadline.after(60))


class Speaking:
    """A model that says one thing, and counts how often."""

    name = "playbook"

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, request: ModelRequest) -> ModelReply:
        """Say it."""
        del request
        self.asked += 1
        return ModelReply("y" * 40, (), "stop", Usage("playbook", 0, 0, "0"), "")


class Once(Faults):
    """The model is not reached the first time, and its reply is lost the second time."""

    def __init__(self, folder: Path) -> None:
        write_plan(Plan(seed=1, round=1, most=0, stop_seconds=1), folder)
        super().__init__(folder, "")
        self._script: dict[str, list[Fault | None]] = {"model.before": ["error"], "model.after": ["error"]}

    def meet(self, name: str) -> Fault | None:
        """What the script says."""
        return self._script[name].pop() if self._script[name] else None


def test_each_try_is_told_as_a_client_tells_it(tmp_path: Path) -> None:
    """Not sent, sent and lost, answered; only the answer has usage, and it is that of the reply."""
    told: list[TryEvent] = []
    inner = Speaking()
    model = DisturbedModel(inner, Once(tmp_path), told.append)
    reply = model.complete(REQUEST)
    assert (model.name, inner.asked) == (COUNTED, 2)
    assert reply.usage == Usage(COUNTED, 100, 10)
    seen = [(one.phase, one.attempt, one.sent, one.failure is None, one.usage) for one in told]
    assert seen == [
        ("start", 1, True, True, None),
        ("end", 1, False, False, None),
        ("start", 2, True, True, None),
        ("end", 2, True, False, None),
        ("start", 3, True, True, None),
        ("end", 3, True, True, reply.usage),
    ]


def test_where_nobody_listens_the_reply_is_as_it_was(tmp_path: Path) -> None:
    """Undoing is not counted."""
    model = DisturbedModel(Speaking(), Once(tmp_path))
    assert model.complete(REQUEST).usage == Usage("playbook", 0, 0, "0")
    assert model.name == "playbook"
