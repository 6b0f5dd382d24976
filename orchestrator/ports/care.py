"""The port of care: what a database needs now and then that no run does by itself."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from orchestrator.ports.blobs import Blobs


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema that a database has, and those that this Remit knows, oldest first; it works with the last."""

    found: str | None
    """None: there are no tables yet."""
    known: tuple[str, ...]

    @property
    def wanted(self) -> str:
        """The schema that this Remit works with."""
        return self.known[-1]

    @property
    def newer(self) -> bool:
        """A newer Remit wrote it."""
        return self.found is not None and self.found not in self.known

    @property
    def missing(self) -> tuple[str, ...]:
        """The schemas between what is found and what is wanted, the wanted one included."""
        return () if self.newer else self.known[self.known.index(self.found) + 1 if self.found else 0 :]


@dataclass(frozen=True, slots=True)
class BlobUse:
    """A stored content, and the run that refers to it."""

    address: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Old:
    """An ended run that may be removed."""

    run_id: str
    subtasks: int


@dataclass(frozen=True, slots=True)
class Unended:
    """A run that goes on or waits, as a new version would find it."""

    run_id: str
    team: str
    team_blob: str
    faults: tuple[str, ...]
    """What of it this version cannot read."""


class Care(Protocol):
    """Looks after one database. Every method raises StoreError when the database does not do what was asked."""

    @property
    def where(self) -> str:
        """The database as people know it, without a password."""
        ...

    def schema(self) -> Schema:
        """Which schema it has."""
        ...

    def at_work(self) -> Sequence[str]:
        """Workers whose lease has not passed."""
        ...

    def migrate(self, *, anyway: bool) -> Schema:
        """Bring the schema up to date in one transaction; what it was before.

        Raises ConfigError when a newer Remit wrote it, ConflictError when workers that know the old one are at work,
        unless `anyway`.
        """
        ...

    def damage(self) -> Iterator[str]:
        """What is wrong with it, a line each; nothing when all is well. The schema must be the wanted one."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many rows each table has."""
        ...

    def blobs_in_use(self) -> Iterator[BlobUse]:
        """Every stored content that some row refers to; one that several refer to comes several times."""
        ...

    @property
    def tidying_blocks(self) -> bool:
        """Whether whoever writes has to wait until tidying up is done."""
        ...

    def size(self) -> int:
        """The bytes on disk."""
        ...

    def tidy(self) -> tuple[int, int]:
        """Give unused room back and refresh statistics; the bytes on disk before and after."""
        ...

    def back_up(self, file: Path) -> int:
        """Write a copy as of now into a new file, while others write; its bytes.

        Raises InputError when the file cannot be made, ConfigError when this database has tools of its own for that.
        """
        ...

    def old_runs(self, before: datetime, limit: int, after: str = "") -> Sequence[Old]:
        """Runs that ended before that moment and of which nothing is at work, by id from `after` on."""
        ...

    def remove_runs(self, run_ids: Collection[str], before: datetime) -> Sequence[str]:
        """Remove those of the runs that `old_runs` would still name, with all that hangs on them, in one transaction.

        Their ids.
        """
        ...

    def traces(self) -> frozenset[str]:
        """The trace ids of all runs."""
        ...

    def unended(self) -> Iterator[Unended]:
        """Runs that have not ended, in any schema that this Remit knows."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep of stored contents removed."""

    contents: int = 0
    size: int = 0
    """Bytes, those of writes that were never finished included."""


class KeptBlobs(Blobs, Protocol):
    """A blob store that can be looked through and swept."""

    @property
    def where(self) -> str:
        """The store as people know it."""
        ...

    def stored(self) -> Iterator[tuple[str, int]]:
        """Address and size of every content."""
        ...

    def sweep(self, keep: Collection[str], untouched_since: datetime) -> Swept:
        """Remove every content that is not to be kept and was not put since that moment.

        Whoever puts a content has until then to write down where it belongs.
        """
        ...


class KeptTraces(Protocol):
    """Traces that this machine keeps in files."""

    def remove_old(self, before: datetime, keep: Collection[str]) -> int:
        """Remove files last written before that moment that hold nothing of the traces to keep; how many."""
        ...
