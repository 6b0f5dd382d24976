"""The home folder: made for its owner only."""

from pathlib import Path

from orchestrator.errors import ConfigError


def make_private(home: Path) -> Path:
    """Make the folder, readable by its owner only. Raises ConfigError when it cannot be."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        home.chmod(0o700)
    except OSError as error:
        what = f"the folder cannot be used: {error.strerror}"
        raise ConfigError(what, where=str(home), mend="Set REMIT_HOME to a folder of your own.") from None
    return home
