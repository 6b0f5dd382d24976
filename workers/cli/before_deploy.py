"""`remit doctor --before-deploy`: which runs that have not ended this version would break, and why."""

from collections.abc import Callable, Iterator
from contextlib import closing

from agents.catalog import outdated
from orchestrator.config import Settings
from orchestrator.errors import RemitError
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.care import Care
from orchestrator.ports.clock import SystemClock
from workers.cli.diagnosis import Diagnosis


def examined_before_deploy(settings: Callable[[], Settings]) -> Iterator[Diagnosis]:
    """Look at the schema and at every run that goes on or waits; nothing is migrated and nothing is started."""
    # The database layer is slow to import.
    from orchestrator.adapters.blobs.folder import FolderBlobs  # noqa: PLC0415
    from orchestrator.adapters.sql.care import open_care  # noqa: PLC0415

    try:
        given = settings()
        with closing(open_care(given.database, SystemClock())) as care:
            schema = _schema(care)
            yield schema
            if schema.good and care.schema().found is not None:
                yield from _runs(care, FolderBlobs(given.blob_folder))
    except RemitError as error:
        yield Diagnosis("database", good=False, line=str(error))


def _schema(care: Care) -> Diagnosis:
    schema = care.schema()
    if schema.newer:
        line = f"schema {schema.found} is of a newer Remit, this one knows {schema.wanted}: nothing would go on"
        return Diagnosis("database", good=False, line=line)
    if not schema.missing:
        return Diagnosis("database", good=True, line=f"its schema is {schema.wanted} already")
    workers = len(care.at_work())
    first = f"stop the {workers} at work, then " if workers else ""
    line = f"schema {schema.found or 'none'} becomes {schema.wanted}: {first}run `remit db migrate`"
    return Diagnosis("database", good=True, line=line)


def _runs(care: Care, blobs: Blobs) -> Iterator[Diagnosis]:
    by_team: dict[str, tuple[str, ...]] = {}
    runs = broken = 0
    for run in care.unended():
        runs += 1
        if run.team_blob not in by_team:
            by_team[run.team_blob] = _team_faults(blobs, run.team_blob)
        faults = (*run.faults, *by_team[run.team_blob])
        broken += bool(faults)
        for fault in faults:
            yield Diagnosis("run", good=False, line=f"{run.run_id} ({run.team}): {fault}")
    if not runs:
        yield Diagnosis("runs", good=True, line="none goes on or waits")
    elif not broken:
        yield Diagnosis("runs", good=True, line=f"{runs} go on or wait, this version breaks none")
    else:
        line = f"{broken} of {runs} that go on or wait: let them end first, cancel them, or bring back what is gone"
        yield Diagnosis("runs", good=False, line=line)


def _team_faults(blobs: Blobs, address: str) -> tuple[str, ...]:
    try:
        return outdated(blobs.get(address).decode())
    except (RemitError, UnicodeDecodeError) as error:
        return (f"its team cannot be read: {error}",)
