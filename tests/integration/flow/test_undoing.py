"""A cancelled run whose team says so is undone, the last thing first; what fails or is unclear is put to a person."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.goal import Limits
from orchestrator.errors import InputError

TEAM = """
name = "shop"
on_cancel = "compensate"
[planner]
[agents.finder]
instructions_text = "Buy."
tools = ["till:pay", "till:send", "till:order", "till:tell", "escalate"]
[composer]
[reviewer]
"""
PLAN = {"subtasks": [{"key": "a", "agent": "finder", "title": "A", "instruction": "Buy."}]}
ASK = ("escalate", {"question": "Go on?", "answer_type": "text"})


def plan(*_: object) -> Any:
    """One subtask."""
    return PLAN


class Shop:
    """An engine whose one agent makes calls and then asks a person; and the file that is the world."""

    def __init__(self, make: Callable[..., Any], folder: Path) -> None:
        self.make = make
        self.log = folder / "deeds"
        self.engine: Any = None
        self.run_id = ""

    def buy(self, *calls: tuple[str, str], team: str = TEAM, limits: Limits | None = None) -> None:
        """Run until the agent has made these calls, and a person is asked."""

        def find(briefing: Any, request: Any) -> Any:
            del briefing
            if request.messages[-1].role == "tool":
                return {"summary": "Bought.", "evidence": []}
            return [*((tool, {"item": item, "log": str(self.log)}) for tool, item in calls), ASK]

        self.engine = self.make(team=team, planner=plan, specialist=find)
        self.run_id = self.engine.submit("Buy.", limits).id
        self.engine.work()

    def trouble(self, name: str) -> None:
        """Something goes wrong, once."""
        self.log.with_name(name).touch()

    def cancel(self) -> str:
        """Cancel, and work until nothing moves; the run's state."""
        self.engine.reader.cancel(self.engine.scope, self.run_id, "No more.", self.engine.actor)
        self.engine.work()
        return self.state

    def later(self) -> str:
        """Time passes until every deadline and every grace is over; the run's state."""
        self.engine.clock.advance(60)
        self.engine.sweeper.sweep()
        self.engine.work()
        return self.state

    def die(self, work: Callable[[], object]) -> None:
        """The worker dies in this; another one goes on."""
        killed: type[BaseException] = import_module("till").Killed
        with pytest.raises(killed):
            work()
        self.engine.another_worker()

    def answer(self, value: str) -> str:
        """Answer the one open ticket; the run's state."""
        return str(self.engine.answer(self.run_id, value).state)

    @property
    def state(self) -> str:
        """Where the run stands."""
        return str(self.engine.progress(self.run_id).state)

    @property
    def deeds(self) -> list[str]:
        """What was done to the world, without the keys."""
        return [
            " ".join(part for part in line.split() if "#" not in part) for line in self.log.read_text().splitlines()
        ]

    @property
    def reason(self) -> list[str]:
        """What whoever cancelled is told."""
        return self.engine.progress(self.run_id).run.outcome.reason.splitlines()

    @property
    def effects(self) -> list[tuple[str, str]]:
        """Tool and outcome of all effects, in the order in which they were begun."""
        found = self.engine.reader.effects(self.engine.scope, self.run_id)
        return [(one.tool, one.status) for one in found]

    def key(self, n: int, step: int = 1) -> str:
        """The key of the agent's `n`-th call."""
        return f"{self.run_id}/a#{step}.c{step}.{n}"


@pytest.fixture
def shop(flow: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop whose tools can be found."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "till"))
    return Shop(flow, tmp_path)


def test_in_reverse_order(shop: Shop) -> None:
    """Each undoing is in the ledger, like what it undoes; what cannot be undone is told."""
    shop.buy(("till.pay", "a"), ("till.send", "b"), ("till.tell", "c"), ("till.order", "d"))
    assert shop.state == "waiting"
    assert shop.cancel() == "cancelled"
    assert shop.deeds == ["pay a", "send b", "tell c", "order d", "unorder d", "recall b seen", "refund a"]
    assert shop.effects == [
        ("till.pay", "happened"),
        ("till.send", "happened"),
        ("till.tell", "happened"),
        ("till.order", "happened"),
        ("undo:till.order", "happened"),
        ("undo:till.send", "happened"),
        ("undo:till.pay", "happened"),
    ]
    assert shop.reason == [
        "No more.",
        f"`till.order` ({shop.key(3)}): undone",
        f"`till.tell` ({shop.key(2)}): its tool cannot undo it",
        f"`till.send` ({shop.key(1)}): undone",
        f"`till.pay` ({shop.key(0)}): undone",
    ]
    noted = [(one.action, one.actor.id) for one in shop.engine.reader.audit(shop.engine.scope, shop.run_id)]
    assert noted[-2:] == [("cancelled", "me"), ("undone", "remit")]
    statuses = {one.key: str(one.status) for one in shop.engine.progress(shop.run_id).subtasks}
    assert statuses == {"plan": "done", "a": "cancelled", "compose": "cancelled", "review": "cancelled", "undo": "done"}
    assert shop.engine.store.tickets(shop.engine.scope, run_id=shop.run_id)[0].status == "cancelled"


def test_it_stops_at_once_and_is_cancelled_once(shop: Shop) -> None:
    """Before a worker has undone anything, nothing else goes on and a second cancelling is refused."""
    shop.buy(("till.pay", "a"))
    engine = shop.engine
    assert engine.reader.cancel(engine.scope, shop.run_id, "No more.", engine.actor).status == "running"
    alive = [one.key for one in engine.progress(shop.run_id).subtasks if one.status in {"ready", "running", "waiting"}]
    assert alive == ["undo"]
    with pytest.raises(InputError, match="is being undone"):
        engine.reader.cancel(engine.scope, shop.run_id, "Again.", engine.actor)
    engine.work()
    with pytest.raises(InputError, match="already ended"):
        engine.reader.cancel(engine.scope, shop.run_id, "Again.", engine.actor)
    assert shop.deeds == ["pay a", "refund a"]


def test_without_effects_it_ends_at_once(shop: Shop) -> None:
    """No worker is needed where nothing was done."""
    shop.buy()
    engine = shop.engine
    assert engine.reader.cancel(engine.scope, shop.run_id, "No more.", engine.actor).status == "cancelled"
    engine.work()
    assert shop.reason == ["No more."]


def test_a_team_that_does_not_say_so(shop: Shop) -> None:
    """Effects are kept, as ever."""
    shop.buy(("till.pay", "a"), team=TEAM.replace('on_cancel = "compensate"', ""))
    assert shop.cancel() == "cancelled"
    assert shop.deeds == ["pay a"]


@pytest.mark.parametrize(
    ("choice", "deeds", "told"),
    [
        ("again", ["recall b seen", "refund a"], "undone"),
        ("by_hand", ["refund a"], "undone by a person"),
        ("leave", ["refund a"], "left as it is: it has left the house."),
    ],
)
def test_an_undoing_that_fails(shop: Shop, choice: str, deeds: list[str], told: str) -> None:
    """A person is asked, and what was done before waits: it may be built upon what could not be undone."""
    shop.buy(("till.pay", "a"), ("till.send", "b"))
    shop.trouble("refuse-recall")
    assert shop.cancel() == "waiting"
    ticket = shop.engine.open_ticket(shop.run_id)
    assert ticket.question == (
        "The run was cancelled, and `till.send` could not be undone: it has left the house. What shall be done?"
    )
    assert shop.deeds == ["pay a", "send b"]
    assert shop.answer(choice) == "cancelled"
    assert shop.deeds == ["pay a", "send b", *deeds]
    assert shop.reason[1] == f"`till.send` ({shop.key(1)}): {told}"


def test_a_cap_leaves_room_for_it(shop: Shop) -> None:
    """Whatever was at work gives its place back when it is stopped, here in the middle of a call."""
    shop.trouble("kill-order")
    team = TEAM.replace("on_cancel", "max_parallel = 1\non_cancel")
    with pytest.raises(import_module("till").Killed):
        shop.buy(("till.pay", "a"), ("till.order", "d"), team=team)
    engine = shop.engine
    assert [str(one.status) for one in engine.progress(shop.run_id).subtasks][1] == "running"
    engine.reader.cancel(engine.scope, shop.run_id, "No more.", engine.actor)
    engine.another_worker()
    engine.work()
    assert shop.later() == "cancelled"
    assert shop.deeds == ["pay a", "order d", "unorder d", "refund a"]


def test_a_tool_that_is_gone(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new version does not have it any more: a person is asked, and the others are undone."""
    shop.buy(("till.pay", "a"), ("till.send", "b"))
    monkeypatch.delattr("till.send")
    shop.engine.another_worker()
    assert shop.cancel() == "waiting"
    assert (
        "`till.send` could not be undone: the tool till.send is gone" in shop.engine.open_ticket(shop.run_id).question
    )
    assert shop.answer("by_hand") == "cancelled"
    assert shop.deeds == ["pay a", "send b", "refund a"]
    assert shop.reason[1] == f"`till.send` ({shop.key(1)}): undone by a person"


def test_no_limit_stops_it(shop: Shop) -> None:
    """A run that has used up all that it may is undone all the same."""
    shop.buy(("till.pay", "a"), ("till.send", "b"), limits=Limits(steps=2, on_limit="ask"))
    assert shop.cancel() == "cancelled"
    assert shop.deeds == ["pay a", "send b", "recall b seen", "refund a"]


@pytest.mark.parametrize("how", ["break-recall", "kill-recall"])
@pytest.mark.parametrize(
    ("choice", "deeds", "told"),
    [
        ("happened", ["recall b seen", "refund a"], "undone"),
        ("not_done", ["recall b seen", "recall b seen", "refund a"], "undone"),
        ("stop", ["recall b seen", "refund a"], "it is unclear whether it was undone; left as it is"),
    ],
)
def test_an_undoing_of_unknown_outcome(shop: Shop, how: str, choice: str, deeds: list[str], told: str) -> None:
    """Its answer was lost, or its worker died in it: a person is asked once nothing can be on its way any more."""
    shop.buy(("till.pay", "a"), ("till.send", "b"))
    shop.trouble(how)
    if how == "kill-recall":
        shop.die(shop.cancel)
    else:
        assert shop.cancel() == "running"
    assert shop.later() == "waiting"
    assert shop.engine.open_ticket(shop.run_id).question.startswith("Did `undo:till.send` happen?")
    assert shop.answer(choice) == "cancelled"
    assert shop.deeds == ["pay a", "send b", *deeds]
    assert shop.reason[1] == f"`till.send` ({shop.key(1)}): {told}"


def test_a_keyed_undoing_is_run_again(shop: Shop) -> None:
    """Its worker died in it; with the same key it is done once, and nobody is asked."""
    shop.buy(("till.pay", "a"))
    shop.trouble("kill-refund")
    shop.die(shop.cancel)
    assert shop.later() == "cancelled"
    assert shop.deeds == ["pay a", "refund a"]
    assert shop.reason == ["No more.", f"`till.pay` ({shop.key(0)}): undone"]


@pytest.mark.parametrize(
    ("before", "deeds", "told"),
    [
        (("kill-order",), ["order d", "unorder d"], "undone"),
        (("kill-before-order", "kill-order"), [], "it did not happen"),
    ],
)
def test_a_call_that_was_on_its_way(shop: Shop, before: tuple[str, ...], deeds: list[str], told: str) -> None:
    """Its worker died in it, then the run was cancelled: whether there is something to undo is found out first."""
    for name in before:
        shop.trouble(name)
    shop.die(lambda: shop.buy(("till.pay", "a"), ("till.order", "d")))
    assert shop.cancel() == "running"
    assert [one for one in shop.deeds if one.startswith("refund")] == []
    assert shop.later() == "cancelled"
    assert shop.deeds == ["pay a", *deeds, "refund a"]
    assert shop.reason[1] == f"`till.order` ({shop.key(1)}): {told}"


def test_a_call_that_arrives_after_its_caller_gave_up(shop: Shop) -> None:
    """Its answer did not come in time, but it may still be on its way: nobody looks before that is over."""
    shop.trouble("slow-order")
    shop.buy(("till.pay", "a"), ("till.order", "d"))
    assert shop.effects[1] == ("till.order", "unknown")
    assert shop.cancel() == "running"
    assert shop.deeds == ["pay a"]
    with shop.log.open("a") as file:
        file.write(f"order d {shop.key(1)}\n")
    assert shop.later() == "cancelled"
    assert shop.deeds == ["pay a", "order d", "unorder d", "refund a"]
    assert shop.reason[1] == f"`till.order` ({shop.key(1)}): undone"


@pytest.mark.parametrize(
    ("choice", "deeds", "told"),
    [
        ("happened", ["unorder d"], "undone"),
        ("not_done", [], "it did not happen"),
        ("leave", [], "it is unclear whether it happened; left as it is"),
    ],
)
def test_nobody_knows_whether_there_is_something_to_undo(shop: Shop, choice: str, deeds: list[str], told: str) -> None:
    """The tool cannot tell either: a person is asked."""
    shop.trouble("kill-order")
    shop.die(lambda: shop.buy(("till.order", "d")))
    shop.trouble("hide-order")
    shop.cancel()
    assert shop.later() == "waiting"
    ticket = shop.engine.open_ticket(shop.run_id)
    assert ticket.question == (
        "The run was cancelled. Did `till.order` happen? If so, it is undone. The shop is closed."
    )
    assert shop.answer(choice) == "cancelled"
    assert shop.deeds == ["order d", *deeds]
    assert shop.reason[1] == f"`till.order` ({shop.key(0)}): {told}"
