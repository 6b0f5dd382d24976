"""What is looked for after a cancelled run: undone once or never done, in the outer system and in what is told."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from orchestrator.domain.effect import EffectIntent, EffectStatus
from workers.chaos.ledger import Deed
from workers.proof.undone import not_undone

KEY = "r1/a#1.c1.0"


def deed(tool: str, done: int, asked: int = 1) -> Deed:
    """What became of number 7."""
    return Deed("r1", tool, 7, asked, done)


def effect(status: EffectStatus = "happened", tool: str = "chaos.pay", key: str = KEY) -> EffectIntent:
    """A call as the run wrote it down."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return EffectIntent(
        subtask_id="r1/a",
        step=1,
        call_id="c1.0",
        key=key,
        tool=tool,
        effect="keyed",
        arguments={},
        epoch=1,
        deadline=at,
        status=status,
    )


@pytest.mark.parametrize(
    ("deeds", "broken"),
    [
        ([], []),
        ([deed("pay", 1), deed("unpay", 1, asked=3)], []),
        ([deed("pay", 0)], []),
        ([deed("pay", 1)], ["pay 7 was done 1 time and undone 0 times"]),
        ([deed("pay", 1), deed("unpay", 2)], ["pay 7 was done 1 time and undone 2 times"]),
        ([deed("pay", 2), deed("unpay", 2)], ["pay 7 was done 2 times and undone 2 times"]),
        ([deed("pay", 0), deed("unpay", 1)], ["pay 7 was done 0 times and undone 1 time"]),
        ([deed("unsend", 1)], ["send 7 was done 0 times and undone 1 time"]),
    ],
)
def test_what_the_outer_system_knows(deeds: Sequence[Deed], broken: list[str]) -> None:
    """Whatever was done once was undone once, and nothing else was."""
    assert not_undone(deeds, [], "", lambda _: False) == broken


@pytest.mark.parametrize(
    ("status", "told", "happened", "broken"),
    [
        ("happened", "undone", True, []),
        ("intended", "undone", True, []),
        ("intended", "it did not happen", False, []),
        ("failed", "", False, []),
        ("happened", "", True, ["whoever cancelled is not told of it"]),
        ("unknown", "left as it is: it is broken", True, ["left as it is: it is broken"]),
        ("intended", "it did not happen", True, ["it happened, though it is told that it did not"]),
        ("failed", "", True, ["it happened, though it is told that it did not"]),
    ],
)
def test_what_is_told(status: EffectStatus, told: str, happened: bool, broken: list[str]) -> None:
    """Each effect is told of, and what is told is the truth; how undoing itself went is no effect of the run."""
    reason = f"It is not wanted any more.\n`chaos.pay` ({KEY}): {told}" if told else "It is not wanted any more."
    effects = [effect(status), effect("happened", "undo:chaos.pay", "r1/undo#1.c1.0")]
    wanted = [f"`chaos.pay` ({KEY}): {line}" for line in broken]
    assert not_undone([], effects, reason, lambda key: happened and key == KEY) == wanted
