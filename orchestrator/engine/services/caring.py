"""Caring: looks after the database and the stored contents together, so that neither loses what the other needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from orchestrator.errors import StoreError
from orchestrator.ports.care import Care, KeptBlobs, KeptTraces, Old, Schema, Swept
from orchestrator.ports.clock import Clock

GRACE = timedelta(days=1)
"""A content that nobody refers to yet may belong to a run that is being handed in, or to a step that is at work."""
LARGE = 256 * 1024 * 1024
"""Writing a SQLite file anew above this size takes so long that workers would lose their leases meanwhile."""
BATCH = 200
"""Runs that are looked for at once."""
MOST_SUBTASKS = 1000
"""Subtasks of the runs that one transaction removes; a run with more has one of its own."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """What tidying up won: bytes of the database before and after, and contents that were removed."""

    before: int
    after: int
    swept: Swept


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed, or would be."""

    runs: int
    subtasks: int
    swept: Swept = field(default_factory=Swept)
    traces: int = 0
    """Files of traces."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What there is: rows by table, stored contents and their bytes, and those that nobody refers to."""

    rows: Mapping[str, int]
    contents: int
    size: int
    unused: int
    unused_size: int


class Caretaker:
    """What `remit db` and `remit runs prune` do."""

    def __init__(self, care: Care, blobs: KeptBlobs, traces: KeptTraces, clock: Clock) -> None:
        self._care = care
        self.blobs = blobs
        self.traces = traces
        self._clock = clock

    @property
    def where(self) -> str:
        """The database."""
        return self._care.where

    @property
    def contents(self) -> str:
        """Where large contents are kept."""
        return self.blobs.where

    def migrate(self, *, anyway: bool) -> Schema:
        """Bring the schema up to date; what it was before. Raises ConfigError, StoreError."""
        return self._care.migrate(anyway=anyway)

    def faults(self) -> Iterator[str]:
        """What is wrong, a line each, as it is found; a question that fails is the last."""
        try:
            yield from self._faults()
        except StoreError as error:
            yield str(error)

    def _faults(self) -> Iterator[str]:
        schema = self._care.schema()
        if schema.newer:
            yield f"schema {schema.found} is of a newer Remit (this one knows {schema.wanted}): upgrade Remit"
        elif schema.found is None:
            yield "there are no tables yet: make them with `remit db migrate`"
        elif schema.missing:
            yield f"schema {schema.found} is old (this Remit works with {schema.wanted}): run `remit db migrate`"
        else:
            yield from self._care.damage()
            yield from self._broken_contents()

    def inventory(self) -> Inventory:
        """What there is."""
        stored = dict(self.blobs.stored())
        used = {one.address for one in self._care.blobs_in_use()}
        unused = [size for address, size in stored.items() if address not in used]
        rows = self._care.counts()
        return Inventory(rows, len(stored), sum(stored.values()), len(unused), sum(unused))

    def _broken_contents(self) -> Iterator[str]:
        users: dict[str, list[str]] = {}
        for use in self._care.blobs_in_use():
            runs = users.setdefault(use.address, [])
            if use.run_id not in runs:
                runs.append(use.run_id)
        for address, runs in users.items():
            try:
                self.blobs.local(address)
            except StoreError as error:
                yield f"{error.where}: {error.what} (of run {', '.join(runs[:3])}{', …' if len(runs) > 3 else ''})"

    def tidy(self, *, anyway: bool) -> Tidied:
        """Remove what nobody refers to, and give the room back. Raises StoreError where workers would suffer."""
        self._must_be_current()
        used = {one.address for one in self._care.blobs_in_use()}
        swept = self.blobs.sweep(used, self._clock.now() - GRACE)
        size = self._care.size()
        workers = self._care.at_work()
        if workers and not anyway and self._care.tidying_blocks and size > LARGE:
            raise StoreError(
                f"{len(workers)} at work would wait while {size // 10**6:,} MB are written anew, and may lose leases",
                where=self.where,
                mend="Stop the workers first, or say --anyway.",
            )
        before, after = self._care.tidy()
        return Tidied(before, after, swept)

    def back_up(self, file: Path) -> int:
        """Write a copy of the database into a new file; its bytes."""
        return self._care.back_up(file)

    def old_runs(self, before: datetime) -> Iterator[Old]:
        """Ended runs from before that moment."""
        self._must_be_current()
        after = ""
        while found := self._care.old_runs(before, BATCH, after):
            yield from found
            after = found[-1].run_id

    def prune(self, before: datetime) -> Iterator[Pruned]:
        """Remove old runs, some at a time: what each transaction removed. At last what only they referred to."""
        for some in _batches(self.old_runs(before)):
            gone = set(self._care.remove_runs([one.run_id for one in some], before))
            yield Pruned(len(gone), sum(one.subtasks for one in some if one.run_id in gone))
        used = {one.address for one in self._care.blobs_in_use()}
        swept = self.blobs.sweep(used, self._clock.now() - GRACE)
        yield Pruned(0, 0, swept, self.traces.remove_old(before, self._care.traces()))

    def _must_be_current(self) -> None:
        schema = self._care.schema()
        if schema.newer or schema.missing:
            raise StoreError(
                f"its schema is {schema.found or 'not made yet'}, this Remit works with {schema.wanted}",
                where=self.where,
                mend="Upgrade Remit." if schema.newer else "Run `remit db migrate` first.",
            )


def _batches(found: Iterator[Old]) -> Iterator[list[Old]]:
    """Runs that together have so few subtasks that nobody waits long for their transaction."""
    batch: list[Old] = []
    for one in found:
        if batch and sum(run.subtasks for run in batch) + one.subtasks > MOST_SUBTASKS:
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch
