"""Learns what to import before a child is forked: modules that were seen to import well and to start no threads."""

import threading
from dataclasses import dataclass

from agents.isolation.conversation import Spoken

_OURS = "agents."


@dataclass(frozen=True, slots=True)
class Plan:
    """For one call: what the forker imports for good, and what the child imports before it calls the tool."""

    preload: tuple[str, ...]
    late: tuple[str, ...]


class Imports:
    """What is known of each tool's imports; safe to use from several threads at once.

    A fork of a process with threads is not safe, so nothing that a user's tool imports goes into the forker unseen:
    a child imports it first, and says how many threads it then had.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plans: dict[str, Plan] = {}

    def of(self, address: str) -> Plan:
        """The plan for the next call of the tool."""
        module = address.partition(":")[0]
        with self._lock:
            return self._plans.get(address) or Plan((module,) if module.startswith(_OURS) else (), ())

    def learn(self, address: str, plan: Plan, spoken: Spoken) -> None:
        """Take in how a call went that was made by `plan`."""
        seen = (address.partition(":")[0], *plan.late)
        if spoken.threads > 1:
            return  # importing for this tool starts threads: its children go on importing for themselves
        with self._lock:
            self._plans[address] = Plan(_merged(plan.preload, seen), _merged((), spoken.late))


def _merged(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
