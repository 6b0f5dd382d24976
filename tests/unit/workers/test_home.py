"""The home folder: the owner's alone, or one line that says why it cannot be used."""

import stat
from pathlib import Path

import pytest

from orchestrator.errors import ConfigError
from workers.home import make_private


@pytest.mark.parametrize("name", ["home", "two words", "家/目录", "50%#a;b&c'd", "x" * 255, "/".join(["long"] * 100)])
def test_a_home_may_have_any_name(tmp_path: Path, name: str) -> None:
    """It is made, and nobody else may look into it."""
    home = make_private(tmp_path / name)
    assert home == tmp_path / name
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("file", "this is a file"),
        ("file/home", "Not a directory"),
        ("x" * 256, "File name too long"),
        ("what?", "there is a question mark in its path"),
        ("what?/home", "there is a question mark in its path"),
    ],
)
def test_what_cannot_be_one_is_refused(tmp_path: Path, name: str, said: str) -> None:
    """The line names the folder and the setting; nothing is made."""
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigError) as caught:
        make_private(tmp_path / name)
    expected = f"{tmp_path / name}: the folder cannot be used: {said}. Set REMIT_HOME to a folder of your own."
    assert str(caught.value) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
