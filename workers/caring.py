"""Opens what `remit db` and `remit runs prune` work with; nothing is migrated and nothing is started."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

from orchestrator.config import Settings
from orchestrator.engine.services.caring import Caretaker
from orchestrator.ports.clock import SystemClock
from workers.home import make_private


def care_of(settings: Callable[[], Settings]) -> Callable[[], AbstractContextManager[Caretaker]]:
    """The caretaker of the database that the settings name."""

    @contextmanager
    def opened() -> Generator[Caretaker]:
        # The database layer is slow to import.
        from orchestrator.adapters.blobs.folder import FolderBlobs  # noqa: PLC0415
        from orchestrator.adapters.otel.aged import TraceFolder  # noqa: PLC0415
        from orchestrator.adapters.sql.care import open_care  # noqa: PLC0415

        given = settings()
        home = make_private(given.home)
        clock = SystemClock()
        care = open_care(given.database, clock)
        try:
            yield Caretaker(care, FolderBlobs(given.blob_folder), TraceFolder(home / "traces"), clock)
        finally:
            care.close()

    return opened
