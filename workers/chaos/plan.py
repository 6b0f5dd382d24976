"""The plan of a round: which hit of which point meets which fault, drawn from a seed."""

import math
import random
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from orchestrator.domain.record import Record
from orchestrator.errors import ConfigError
from workers.chaos.points import SHARES, Family, Fault, Point

PLAN_FILE = "plan.json"
PATIENCE = 4
"""The first hit of a point meets a fault with a chance of one in so many, later ones more and more rarely: points that
are hit often and points that are hit once get their faults alike."""


class Plan(Record):
    """The same seed, round, point and number of the hit always give the same fault."""

    seed: int
    round: int
    most: Annotated[int, Field(ge=0)]
    """Faults of the whole round, about; afterwards it is quiet, and what was begun can end."""
    rate: Annotated[float, Field(gt=0)] = 1.0
    stop_seconds: Annotated[float, Field(gt=0)]
    """How long a stopped process sleeps: longer than the lease, shorter than an effect's deadline and grace."""

    def share(self, family: Family) -> int:
        """How many of them points of a family may meet."""
        return math.ceil(self.most * SHARES[family])

    def fault(self, point: Point, hit: int) -> Fault | None:
        """What hit number `hit` of the point meets, from 0; None: nothing."""
        draw = random.Random(f"{self.seed}/{self.round}/{point.name}/{hit}")  # noqa: S311  # repeatable, no secret
        if draw.random() >= self.rate / (PATIENCE + hit):
            return None
        faults = list(point.may)
        return draw.choices(faults, [point.may[one] for one in faults])[0]


def write_plan(plan: Plan, folder: Path) -> None:
    """Put the plan where processes that are to be broken look for it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / PLAN_FILE).write_text(plan.model_dump_json(), "utf-8")


def read_plan(folder: Path) -> Plan:
    """The plan of this round. Raises ConfigError."""
    file = folder / PLAN_FILE
    try:
        return Plan.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        why = (error.strerror or "").lower() if isinstance(error, OSError) else "it is no such plan"
        what = f"no plan of faults can be read from `{file}` ({why})"
        raise ConfigError(what, where="REMIT_CHAOS", mend="Unset it: `remit chaos` sets it itself.") from None
