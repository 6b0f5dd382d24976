"""Where the rounds of a proof have their homes."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import InputError


@contextmanager
def home_of(folder: Path, name: str) -> Generator[Path]:
    """Where something is played; when that is interrupted nobody wants to look into it."""
    home = folder / name
    try:
        yield home
    except KeyboardInterrupt:
        shutil.rmtree(home, ignore_errors=True)
        raise


def rounds_folder(given: Path | None) -> Path:
    """The folder, made if need be. Raises InputError."""
    if given is None:
        return Path(tempfile.mkdtemp(prefix="remit-chaos-"))
    try:
        given.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", where=str(given), mend="Name another folder.") from None
    if any(given.iterdir()):
        raise InputError("there is something in it", where=str(given), mend="Name a folder that is new or empty.")
    return given.absolute()
