"""A part of a reply, with the whole around it: what begins in it may end behind it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a reply."""

    text: str
    at: int
    end: int

    @property
    def content(self) -> str:
        """What stands there."""
        return self.text[self.at : self.end]
