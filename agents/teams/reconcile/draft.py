"""The draft: the reconciliation so far, with what waits for a person marked as such."""

from orchestrator.ports.drafter import ContentReader, Drafted, SoFar


def draft(so_far: SoFar, reader: ContentReader) -> Drafted | None:
    """The last match, settled with nothing decided yet; None before there was one."""
    raise NotImplementedError
