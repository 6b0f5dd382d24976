"""What two names of a comparison stand for."""

from pathlib import Path

from agents.evals.variants import Variant, compared, single


def test_one_variant() -> None:
    """Named by what was chosen."""
    assert single(None, None) == Variant("as configured")
    assert single("shop", "big") == Variant("shop with big", "shop", "big")
    assert single("plain", "big") == Variant("plain", model="big", plain=True)


def test_teams_and_models(tmp_path: Path) -> None:
    """A shipped team's name, a path or a folder with a team file is a team; everything else is a model."""
    (tmp_path / "strict").mkdir()
    (tmp_path / "strict" / "team.toml").touch()
    folder = str(tmp_path / "strict")
    assert compared("shop", None, "big", ["shop"]) == Variant("shop", "shop", "big")
    assert compared("prompts/loose.toml", None, None, []) == Variant("loose", "prompts/loose.toml")
    assert compared(f"{folder}/team.toml", None, None, []) == Variant("strict", f"{folder}/team.toml")
    assert compared(folder, None, None, []) == Variant("strict", folder)
    assert compared("big", "shop", "small", ["shop"]) == Variant("big", "shop", "big")
    assert compared("plain", "shop", "small", ["shop"]) == Variant("plain", model="small", plain=True)
