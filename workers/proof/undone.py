"""The judge of cancelled runs: what was done is undone once, the rest never happened, and the reason says which."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from agents.undoing import undo_name
from orchestrator.domain.counting import counted
from orchestrator.domain.effect import EffectIntent
from workers.chaos.ledger import Deed

_UNDOING = undo_name("")


def not_undone(
    deeds: Sequence[Deed], effects: Sequence[EffectIntent], reason: str, happened: Callable[[str], bool]
) -> Sequence[str]:
    """One line for each broken promise about a cancelled run.

    `deeds`: what the outer system was asked for; `happened`: what it says of a key; `effects` and `reason`: what the
    run wrote down, and what whoever cancelled it is told.
    """
    return [*_of_deeds(deeds), *_of_effects(effects, reason.splitlines(), happened)]


def _of_deeds(deeds: Sequence[Deed]) -> Iterator[str]:
    done = Counter({(one.tool, one.number): one.done for one in deeds})
    for tool, number in sorted({(one.tool.removeprefix("un"), one.number) for one in deeds}):
        times, back = done[tool, number], done[f"un{tool}", number]
        if times > 1 or back != times:
            yield f"{tool} {number} was done {counted(times, 'time')} and undone {counted(back, 'time')}"


def _of_effects(effects: Sequence[EffectIntent], told: Sequence[str], happened: Callable[[str], bool]) -> Iterator[str]:
    for one in effects:
        if one.tool.startswith(_UNDOING):
            continue
        about = f"`{one.tool}` ({one.key}): "
        said = next((line.removeprefix(about) for line in told if line.startswith(about)), "")
        never = one.status == "failed" or said == "it did not happen"
        if never and happened(one.key):
            yield f"{about}it happened, though it is told that it did not"
        elif not never and said != "undone":
            yield f"{about}{said or 'whoever cancelled is not told of it'}"
