"""The context: how full it is, in tokens calibrated on what the server counted, and what to shorten when it is full."""

from collections.abc import Sequence

from agents.models.base import Message, ToolSpec
from orchestrator.domain.step import Step

FIRST_GUESS = 3.0
"""Characters a token, until the server has counted; English has about four, Chinese about one and a half."""
LEAST_RATE, MOST_RATE = 0.5, 8.0
"""A server that counts otherwise is not believed."""
KEPT = 2
"""The last replies keep their results whole: the agent is at work on them."""
SHORTENED = (
    "Your context is nearly full: results before your last {kept} replies are shown as their summaries from here on. "
    "They are stored whole under their numbers."
)


class Context:
    """Watches over one agent's context; `budget` is what may be sent, in tokens."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._rate = FIRST_GUESS
        self._known = 0
        self._length = 0
        self._asked = 0

    def asking(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> bool:
        """True when these messages fit; only what was added since the last time is measured."""
        self._length += sum(map(_length, messages[self._known :]))
        self._known = len(messages)
        self._asked = self._length + sum(len(one.description) + len(one.name) for one in tools)
        return self._asked / self._rate <= self._budget

    def rebuilt(self) -> None:
        """The messages are others now: measure them anew."""
        self._known = self._length = 0

    def counted(self, tokens: int) -> None:
        """What the server counted for the messages asked last; 0: it did not tell."""
        if tokens > 0 and self._asked:
            self._rate = min(MOST_RATE, max(LEAST_RATE, self._asked / tokens))


def _length(message: Message) -> int:
    calls = sum(len(call.tool) + len(str(call.arguments)) for call in message.calls)
    return len(message.text) + len(message.thought) + calls


def to_shorten(steps: Sequence[Step]) -> int | None:
    """Up to which step results can be shortened now; None when that was done already."""
    replies = [step.n for step in steps if step.calls]
    if len(replies) <= KEPT:
        return None
    upto = replies[-KEPT - 1]
    return upto if upto > shortened_to(steps) else None


def shortened_to(steps: Sequence[Step]) -> int:
    """Up to which step results are shortened; 0: none are."""
    return max((step.shortens_to for step in steps), default=0)


def summarized_to(steps: Sequence[Step]) -> int:
    """Up to which step a summary stands in for the steps; 0: none does."""
    return max((step.summarizes_to for step in steps), default=0)


def shortening(n: int, upto: int) -> Step:
    """The step that shortens: stored like any other, or the rebuilt transcript would differ."""
    return Step(n=n, kind="notice", text=SHORTENED.format(kept=KEPT), shortens_to=upto)
