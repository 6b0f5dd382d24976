"""Drafts: the draft of a run is written by the function that its pinned team names."""

from collections.abc import Callable
from typing import cast

from agents.catalog import unpin
from agents.references import resolved
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.drafter import ContentReader, Drafted, SoFar

DraftFunction = Callable[[SoFar, ContentReader], Drafted | None]


class TeamDrafter:
    """Writes drafts with the function `draft` of the run's team; teams without one have no draft of their own."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def draft(self, so_far: SoFar, reader: ContentReader) -> Drafted | None:
        """The team's draft, or None."""
        team = unpin(self._blobs.get(so_far.run.team_blob).decode())
        if team.draft is None:
            return None
        return cast("DraftFunction", resolved(team.draft))(so_far, reader)
