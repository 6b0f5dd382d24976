"""The folder of the sockets is short, private, the same for the same home, and never somebody else's."""

import os
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import ServiceError
from workers.embedded.folder import socket_folder


@pytest.fixture
def short() -> Generator[Path]:
    """A folder of our own with a short path, in the place of a runtime folder or /tmp."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as name:
        yield Path(name)


def mode(path: Path) -> int:
    """The permission bits."""
    return path.lstat().st_mode & 0o777


def test_it_is_made_in_the_runtime_folder(short: Path) -> None:
    """Private, and found again by the next call."""
    folder = socket_folder(Path("/srv/home"), short)
    assert folder.parent == short
    assert folder.name.startswith("remit-")
    assert mode(folder) == 0o700
    assert socket_folder(Path("/srv/home"), short) == folder


def test_homes_do_not_meet(short: Path) -> None:
    """Another home has another folder; another spelling of the same home has the same one."""
    (short / "a").mkdir()
    (short / "link").symlink_to(short / "a")
    assert socket_folder(short / "a", short) != socket_folder(short / "b", short)
    assert socket_folder(short / "b" / ".." / "a", short) == socket_folder(short / "a", short)
    assert socket_folder(short / "link", short) == socket_folder(short / "a", short)


@given(st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1, max_size=80))
def test_sockets_fit_whatever_the_home(name: str) -> None:
    """The longest socket path stays under macOS's limit, and so under Linux's."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as temporary:
        folder = socket_folder(Path("/srv") / name / name, None, Path(temporary))
        assert len(os.fsencode(folder / "control.sock")) <= 103


@pytest.mark.parametrize("kind", ["absent", "a file", "too long", "open to others"])
def test_a_runtime_folder_that_will_not_do(short: Path, kind: str) -> None:
    """Then the folder is made in the temporary one."""
    runtime = short / ("x" * 100 if kind == "too long" else "run")
    if kind == "a file":
        runtime.touch()
    elif kind != "absent":
        runtime.mkdir(mode=0o700)
    if kind == "open to others":
        runtime.chmod(0o777)
    folder = socket_folder(Path("/srv/home"), runtime, short)
    assert folder.parent == short
    assert folder.name.startswith(f"remit-{os.geteuid()}-")


def test_a_loose_folder_of_ours_is_made_private(short: Path) -> None:
    """Whoever loosened it."""
    folder = socket_folder(Path("/srv/home"), short)
    folder.chmod(0o755)
    assert socket_folder(Path("/srv/home"), short) == folder
    assert mode(folder) == 0o700


@pytest.mark.parametrize("kind", ["file", "link", "foreign"])
def test_a_name_that_is_taken(short: Path, kind: str) -> None:
    """Somebody else's folder, a link or a file of that name is left alone: another name is found."""
    taken = socket_folder(Path("/srv/home"), None, short)
    taken.rmdir()
    match kind:
        case "file":
            taken.touch()
        case "link":
            (short / "elsewhere").mkdir()
            taken.symlink_to(short / "elsewhere")
        case _:
            if os.geteuid() != 0:
                pytest.skip("only root can give a folder away")
            taken.mkdir()
            os.chown(taken, 12345, 12345)
    folder = socket_folder(Path("/srv/home"), None, short)
    assert folder != taken
    assert folder.parent == short
    assert mode(folder) == 0o700


def test_no_place_at_all(short: Path) -> None:
    """One line that says where and what to do."""
    with pytest.raises(ServiceError) as caught:
        socket_folder(Path("/srv/home"), None, short / "absent")
    assert str(caught.value) == (
        f"{short / 'absent'}: no folder for sockets can be made: No such file or directory. "
        "Make it writable, or set XDG_RUNTIME_DIR to a folder of your own."
    )
