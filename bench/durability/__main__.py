"""What durability costs, beside the aims.

    make setup && .venv/bin/python -m bench.durability [--database postgresql://…] [--only step|recovery|waiting|plans]

On SQLite, and with `--database` on a PostgreSQL too (an empty database: rows are left in it). A step: CPU of this
process and wall, beyond the same loop with its steps in memory (aim: 0.6 ms and 1.0 ms), and CPU beyond its bare calls
of model and tool (1.5 ms). Recovery: from the wake-up to the next question to the model after 198 steps (50 ms). Ten
thousand open tickets: a worker's memory (5 MiB more) and a sweep (5 ms). A run of 10,000 subtasks: CPU against a
hundred times that of 100 (1.3). Exits 1 when an aim is missed.
"""

import argparse
import sys
from collections.abc import Callable

from bench.durability import plans, recovery, step, waiting


def of_step(url: str | None) -> bool:
    """Print what a step costs; True when it is within the aims."""
    durable, in_memory, calls = step.costs(url)
    cpu, wall, whole = durable.cpu - in_memory.cpu, durable.wall - in_memory.wall, durable.cpu - calls.cpu
    print(f"  step: {cpu:.2f} ms CPU (0.6) and {wall:.2f} ms wall (1.0) more than {in_memory.cpu:.2f} ms in memory")
    print(f"  the same: {whole:.2f} ms CPU (1.5) more than the {calls.cpu:.2f} ms of its calls")
    return cpu <= 0.6 and wall <= 1.0 and whole <= 1.5


def of_recovery(url: str | None) -> bool:
    """Print how long a recovery takes."""
    took = recovery.recovered(url)
    print(f"  recovery of {recovery.STEPS} steps: {took:.1f} ms (50)")
    return took <= 50


def of_waiting(url: str | None) -> bool:
    """Print what waiting costs."""
    before, after = waiting.swept(url)
    print(f"  a sweep: {before:.2f} ms, with {waiting.TICKETS} open tickets {after:.2f} ms (5)")
    if url is not None:
        return after <= 5
    empty, full = waiting.memory()
    print(f"  an idle worker: {empty:.1f} MiB, with them {full:.1f} MiB (5 more)")
    return after <= 5 and full - empty <= 5


def of_plans(url: str | None) -> bool:
    """Print what a long plan costs."""
    small, large = plans.run(plans.SMALL, url), plans.run(plans.LARGE, url)
    ratio = large / small / (plans.LARGE / plans.SMALL)
    print(
        f"  {plans.SMALL} subtasks: {small:.2f} s CPU; {plans.LARGE}: {large:.1f} s, each {ratio:.2f} times that (1.3)"
    )
    return ratio <= 1.3


MEASURES: dict[str, Callable[[str | None], bool]] = {
    "step": of_step,
    "recovery": of_recovery,
    "waiting": of_waiting,
    "plans": of_plans,
}


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", help="a PostgreSQL")
    parser.add_argument("--only", choices=MEASURES)
    options = parser.parse_args()
    within = True
    for name, url in (("SQLite", None), *((("PostgreSQL", options.database),) if options.database else ())):
        print(name)
        for part in [options.only] if options.only else MEASURES:
            within &= MEASURES[part](url)
    return int(not within)


if __name__ == "__main__":
    sys.exit(main())
