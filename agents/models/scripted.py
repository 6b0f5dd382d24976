"""A model that gives the replies it was made with, one after another: for tests and for trying things out."""

from collections.abc import Callable, Iterable, Sequence

from agents.models.base import Call, ModelReply, ModelRequest, Usage
from orchestrator.errors import DefectError

Turn = ModelReply | Exception | Callable[[ModelRequest], ModelReply]


class Scripted:
    """Gives each reply once; raises what is an exception; remembers what it was asked."""

    name = "scripted"

    def __init__(self, turns: Iterable[Turn]) -> None:
        self._turns = list(turns)
        self.asked: list[ModelRequest] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply of the script. Raises DefectError after its end."""
        self.asked.append(request)
        if not self._turns:
            raise DefectError(f"the script of {len(self.asked) - 1} replies is at its end", where=self.name)
        turn = self._turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, ModelReply) else turn(request)


def said(text: str, *, thought: str = "", tokens: int = 10) -> ModelReply:
    """A reply without calls."""
    return ModelReply(text, (), "stop", Usage("scripted", tokens, tokens, "0"), thought)


def called(*calls: tuple[str, dict[str, object]], thought: str = "") -> Callable[[ModelRequest], ModelReply]:
    """A reply that calls tools: name and arguments of each."""

    def reply(request: ModelRequest) -> ModelReply:
        made = tuple(Call(f"c{request.step}.{n}", tool, dict(given)) for n, (tool, given) in enumerate(calls))
        return ModelReply("", made, "calls", Usage("scripted", 10, 10, "0"), thought)

    return reply


def cut_off(calls: Sequence[Call] = ()) -> ModelReply:
    """A reply that reached its longest."""
    return ModelReply("and then", tuple(calls), "length", Usage("scripted", 10, 2048, "0"))
