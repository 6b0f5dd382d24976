"""When a model does not answer or refuses, the next one of the agent is asked; the reply says who gave it."""

from collections.abc import Sequence

import pytest

from agents.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError
from agents.models.base import Finish, ModelReply, ModelRequest, Usage
from agents.models.fallback import REST_SECONDS, Fallback, Resting
from orchestrator.ports.clock import Deadline

REQUEST = ModelRequest((), (), 1, Deadline.after(60))
DOWN = ModelUnavailableError("it is down")
REFUSED = ModelRefusedError("there is no such model")


class Told:
    """A model that does in turn what it was told: raise, or reply and finish like this."""

    def __init__(self, name: str, *doings: Exception | Finish) -> None:
        self.name = name
        self.doings = list(doings)
        self.asked = 0

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next thing; the last one for ever."""
        del request
        self.asked += 1
        doing = self.doings.pop(0) if len(self.doings) > 1 else self.doings[0]
        if isinstance(doing, Exception):
            raise doing
        return ModelReply(f"from {self.name}", (), doing, Usage(self.name))


class Hours:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        """The seconds now."""
        return self.at


def given(models: Sequence[Told], resting: Resting | None = None) -> str:
    """What is answered, as text."""
    return Fallback(models, resting or Resting()).complete(REQUEST).text


@pytest.mark.parametrize("failure", [DOWN, REFUSED, "filter"])
def test_the_next_model_stands_in(failure: Exception | Finish) -> None:
    """After an error, a refusal or an answer that was filtered; a third one is not asked."""
    first, second, third = Told("a", failure), Told("b", "stop"), Told("c", "stop")
    reply = Fallback([first, second, third], Resting()).complete(REQUEST)
    assert (reply.text, reply.usage.model) == ("from b", "b")
    assert [one.asked for one in (first, second, third)] == [1, 1, 0]


def test_while_the_own_model_answers_no_other_is_asked() -> None:
    """And it gives its name to the whole."""
    own, other = Told("a", "stop"), Told("b", "stop")
    fallback = Fallback([own, other], Resting())
    assert (fallback.name, fallback.complete(REQUEST).text, other.asked) == ("a", "from a", 0)


def test_a_model_that_was_down_is_asked_last_for_a_while() -> None:
    """In all agents of the process; as long as its endpoint asked for, where that is longer."""
    hours = Hours()
    resting = Resting(hours)
    own, other = Told("a", ModelUnavailableError("down", retry_after=90.0), "stop"), Told("b", "stop")
    assert given([own, other], resting) == "from b"
    hours.at += REST_SECONDS + 1
    assert (given([own, other], resting), own.asked) == ("from b", 1)
    hours.at += 60
    assert (given([own, other], resting), own.asked) == ("from a", 2)


def test_a_refusal_is_of_the_request() -> None:
    """The next request goes to the agent's own model again."""
    resting, own = Resting(), Told("a", REFUSED, "stop")
    assert [given([own, Told("b", "stop")], resting) for _ in range(2)] == ["from b", "from a"]


def test_resting_models_are_asked_when_the_others_fail() -> None:
    """Rest is an order, not a ban."""
    resting = Resting()
    resting.rest("a", 60)
    own, other = Told("a", "stop"), Told("b", DOWN)
    assert (given([own, other], resting), other.asked) == ("from a", 1)


@pytest.mark.parametrize(
    ("failures", "raised"), [((REFUSED, DOWN), DOWN), ((DOWN, REFUSED), DOWN), ((REFUSED, REFUSED), REFUSED)]
)
def test_when_all_fail_waiting_helps_if_one_was_down(failures: tuple[Exception, Exception], raised: Exception) -> None:
    """The turn is put off rather than ended while there is hope."""
    with pytest.raises(type(raised)) as caught:
        given([Told("a", failures[0]), Told("b", failures[1])])
    assert caught.value is raised


def test_an_overflow_is_the_agents_business() -> None:
    """It shortens and asks again, whichever model said so."""
    other = Told("b", "stop")
    with pytest.raises(ContextOverflowError):
        given([Told("a", ContextOverflowError("too long")), other])
    assert other.asked == 0


def test_filtered_everywhere_is_the_first_answer() -> None:
    """Nobody is unavailable then, and the agent is told as without fallbacks."""
    assert given([Told("a", "filter"), Told("b", "filter")]) == "from a"


def test_each_model_can_be_wrapped() -> None:
    """The order stays."""
    own, other = Told("a", DOWN), Told("b", "stop")
    seen: list[str] = []

    def wrap(model: object) -> Told:
        assert isinstance(model, Told)
        seen.append(model.name)
        return model

    assert (Fallback([own, other], Resting()).each(wrap).complete(REQUEST).text, seen) == ("from b", ["a", "b"])
