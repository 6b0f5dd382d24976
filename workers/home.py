"""The home folder: made for its owner only."""

from pathlib import Path

from orchestrator.errors import ConfigError

_MEND = "Set REMIT_HOME to a folder of your own."


def make_private(home: Path) -> Path:
    """Make the folder, readable by its owner only. Raises ConfigError when it cannot be."""
    if "?" in str(home):
        # The address of the database is made of it, and there a question mark ends the path.
        what = "the folder cannot be used: there is a question mark in its path"
        raise ConfigError(what, where=str(home), mend=_MEND)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        home.chmod(0o700)
    except OSError as error:
        reason = "this is a file" if isinstance(error, FileExistsError) else error.strerror
        raise ConfigError(f"the folder cannot be used: {reason}", where=str(home), mend=_MEND) from None
    return home
