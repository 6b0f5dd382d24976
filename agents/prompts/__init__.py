"""The prompts that ship with Remit, one file for each kind of agent; this module reads them."""

from importlib.resources import files
from typing import Literal

Kind = Literal["planner", "specialist", "composer", "reviewer"]


def role_prompt(kind: Kind) -> str:
    """The prompt that every agent of this kind begins with."""
    return files(__name__).joinpath(f"{kind}.md").read_text("utf-8").strip()


def template(name: str) -> str:
    """The text of a template that stands beside the prompts."""
    return files(__name__).joinpath(name).read_text("utf-8")
