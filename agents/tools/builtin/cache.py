"""Files that were computed from contents, kept under a key that names all they depend on; shared between processes."""

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agents.tools.function import ToolContext

UNUSED_SECONDS = 7 * 86_400.0
"""What nobody used for so long is deleted when something new is kept."""
_PIECE = 1 << 20


class Cache:
    """Computed once, found again by every later call; two who compute the same at once do it twice, harmlessly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, key: str, build: Callable[[Path], None]) -> Path:
        """The file of this key; `build` writes it when there is none. What `build` raises leaves nothing behind."""
        path = self._folder / key
        with contextlib.suppress(OSError):
            os.utime(path)
            return path
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="building-", dir=self._folder, ignore_cleanup_errors=True) as folder:
            made = Path(folder) / key
            build(made)
            made.replace(path)
        self._prune()
        return path

    def _prune(self) -> None:
        oldest = time.time() - UNUSED_SECONDS
        for path in self._folder.iterdir():
            with contextlib.suppress(OSError):  # another process may prune too
                if path.is_file() and path.stat().st_mtime < oldest:
                    path.unlink()


def cache_of(context: ToolContext) -> Cache:
    """The installation's cache; without one, a folder of this user's own among the temporary files."""
    folder = context.setting("cache")
    return Cache(Path(folder) if folder else _private_folder())


def key_of(kind: str, *parts: str | Path) -> str:
    """A file name that differs when any part does: texts, and the contents of files."""
    digest = hashlib.sha256()
    for part in parts:
        said = hashlib.sha256()
        if isinstance(part, Path):
            with part.open("rb") as file:
                while piece := file.read(_PIECE):
                    said.update(piece)
        else:
            said.update(part.encode("utf-8", "surrogatepass"))
        digest.update(said.digest())
    return f"{kind}-{digest.hexdigest()[:40]}"


def source_of(*folders: Path) -> str:
    """A text that changes with the code in these folders: what older code computed is not taken for its result."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _private_folder() -> Path:
    """Nobody else can have prepared it: it is ours, and only we may write in it."""
    folder = Path(tempfile.gettempdir()) / f"remit-cache-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not folder.is_symlink() and found.st_uid == os.getuid() and found.st_mode & 0o077 == 0:
        return folder
    return Path(tempfile.mkdtemp(prefix="remit-cache-"))
