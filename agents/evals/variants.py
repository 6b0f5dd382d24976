"""What is evaluated: a team, a model, or the model alone without any team."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

PLAIN = "plain"
"""The name of the variant that asks the model once, without a team."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to reach the goals of the cases; None: as the case, or the environment, says."""

    name: str
    team: str | None = None
    model: str | None = None
    plain: bool = False


def single(team: str | None, model: str | None) -> Variant:
    """The one variant of an evaluation that compares nothing."""
    if team == PLAIN:
        return Variant(PLAIN, model=model, plain=True)
    return Variant(" with ".join(part for part in (team, model) if part) or "as configured", team, model)


def compared(given: str, team: str | None, model: str | None, shipped: Collection[str]) -> Variant:
    """What one of the two names of `--compare` stands for: `plain`, a team's name or path, else a model."""
    if given == PLAIN:
        return Variant(PLAIN, model=model, plain=True)
    if given in shipped or given.endswith(".toml") or (Path(given) / "team.toml").is_file():
        return Variant(_short(given), given, model)
    return Variant(given, team, given)


def _short(team: str) -> str:
    """`prompts/strict/team.toml` as `strict`, `prompts/strict.toml` as `strict`."""
    path = Path(team)
    return path.parent.name or path.stem if path.name == "team.toml" else path.stem
