"""The run's documents: each read and cut into passages once for its content, and one index over all of them."""

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agents.tools.builtin.cache import Cache, cache_of, key_of, source_of
from agents.tools.builtin.documents.document import Kind, UnreadableError
from agents.tools.builtin.documents.index import Hits, search_index, similar_words, write_index
from agents.tools.builtin.documents.passages import Passage, passages
from agents.tools.builtin.documents.reading import LARGEST, read_document
from agents.tools.function import ToolContext

_FOLDERS = (Path(__file__).parent, Path(__file__).parent.parent / "tables")
"""Where the code stands that reads documents."""


class Kept(BaseModel):
    """What a file came to, as it is kept: a document with its passages, or why it is none."""

    model_config = ConfigDict(frozen=True)

    kind: Kind | None = None
    title: str = ""
    pages: int = 0
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    unreadable: str = ""
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An input, by its name."""

    name: str
    filename: str
    key: str
    kept: Kept

    @property
    def is_document(self) -> bool:
        """False: it could not be read as one."""
        return self.kept.kind is not None


@dataclass(frozen=True, slots=True)
class Library:
    """The inputs of a run as documents."""

    entries: tuple[Entry, ...]
    cache: Cache

    @property
    def documents(self) -> tuple[Entry, ...]:
        """Those that can be searched and read."""
        return tuple(entry for entry in self.entries if entry.is_document)

    @property
    def others(self) -> tuple[Entry, ...]:
        """Inputs that are no documents."""
        return tuple(entry for entry in self.entries if not entry.is_document)

    def search(self, terms: list[str], document: str | None, most: int) -> Hits:
        """The passages that fit best, over all documents or in one."""
        return search_index(self._index(), terms, document, most)

    def similar(self, query: str) -> list[str]:
        """Words of the documents that are spelled like those of a query."""
        return similar_words(self._index(), query)

    def _index(self) -> Path:
        parts = json.dumps([[entry.name, entry.key] for entry in self.documents])
        return self.cache.file(
            f"{key_of('index', source_of(*_FOLDERS), parts)}.sqlite",
            lambda path: write_index(path, [(one.name, one.kept.passages) for one in self.documents]),
        )


def library_of(context: ToolContext) -> Library:
    """All inputs of the run."""
    cache = cache_of(context)
    names = context.input_names()
    return Library(tuple(_entry(context, cache, name, filename) for name, filename in names.items()), cache)


def _entry(context: ToolContext, cache: Cache, name: str, filename: str) -> Entry:
    path = context.input(name)
    key = f"{key_of('document', source_of(*_FOLDERS), path, filename)}.json"

    def build(new: Path) -> None:
        new.write_text(_read(path, filename).model_dump_json(), "utf-8")

    kept = cache.file(key, build)
    return Entry(name, filename, key, Kept.model_validate_json(kept.read_text("utf-8")))


def _read(path: Path, filename: str) -> Kept:
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableError(f"the file has more than {LARGEST // 1_000_000} MB", "Split it.")
        document = read_document(path.read_bytes(), filename)
    except UnreadableError as error:
        return Kept(unreadable=error.what, mend=error.mend)
    found = passages(document)
    if not found:
        return Kept(unreadable="there is no text in it", mend="Take another file.")
    pages = len(document.pages) if document.kind == "pdf" else 0
    return Kept(kind=document.kind, title=document.title, pages=pages, passages=found, notes=document.notes)
