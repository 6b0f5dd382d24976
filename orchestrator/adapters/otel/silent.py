"""The telemetry port with nobody listening: hands out traceparents and forgets the rest."""

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from orchestrator.ports.telemetry import Attributes


class SilentSpan:
    """A span that nobody sees."""

    def set(self, attributes: Attributes) -> None:
        """Forget the attributes."""

    def failed(self, description: str) -> None:
        """Forget the failure."""


class SilentTelemetry:
    """Costs nothing. Its traceparents say that the run is not sampled, so that no other process traces a part of it."""

    def new_trace(self) -> str:
        """A new traceparent, not sampled."""
        return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-00"

    def root(self, traceparent: str, name: str, start: datetime, end: datetime, attributes: Attributes) -> None:
        """Forget the run."""

    @contextmanager
    def span(self, name: str, attributes: Attributes, parent: str | None = None) -> Generator[SilentSpan]:
        """Only the block itself."""
        del name, attributes, parent
        yield SilentSpan()

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is open."""
