"""What the agents of evaluations are told, a file each; this module reads them."""

from importlib.resources import files


def prompt(name: str) -> str:
    """The text of a prompt."""
    return files(__name__).joinpath(f"{name}.md").read_text("utf-8").strip()
