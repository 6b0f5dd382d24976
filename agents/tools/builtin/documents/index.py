"""The full-text index of a set of documents: one SQLite file, ranked by BM25 over all of them."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from rapidfuzz import fuzz, process

from agents.tools.builtin.documents.passages import Passage
from agents.tools.builtin.documents.scripts import indexed, words_of

_HEADING_COUNTS = 2.0
_LONGEST_WORD = 40
_SHORTEST_WORD = 4
_ALIKE = 72.0
_SCHEMA = """
CREATE TABLE passages (document TEXT, number INTEGER, page INTEGER, heading TEXT, text TEXT);
CREATE TABLE vocabulary (word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE search USING fts5
    (heading, text, content = '', tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found; `whole` is False when it has some of the words only."""

    document: str
    passage: Passage
    whole: bool


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found: the best, and how many passages have all the words or any of them."""

    best: tuple[Hit, ...]
    with_all: int
    with_any: int


def write_index(path: Path, documents: Iterable[tuple[str, Sequence[Passage]]]) -> None:
    """Index the passages of documents, given by name."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN")
        for name, passages in documents:
            for one in passages:
                row = (name, one.number, one.page, one.heading, one.text)
                added = connection.execute("INSERT INTO passages VALUES (?, ?, ?, ?, ?)", row)
                words = (added.lastrowid, indexed(one.heading), indexed(one.text))
                connection.execute("INSERT INTO search (rowid, heading, text) VALUES (?, ?, ?)", words)
                connection.executemany("INSERT OR IGNORE INTO vocabulary VALUES (?)", _vocabulary(one))
        connection.execute("INSERT INTO search (search) VALUES ('optimize')")
        connection.execute("COMMIT")


def search_index(path: Path, terms: Sequence[str], document: str | None, most: int) -> Hits:
    """The passages that fit best: those with all the terms first, then those with some."""
    with closing(_opened(path)) as connection:
        whole = _ranked(connection, " AND ".join(terms), document, most)
        with_all = _counted(connection, " AND ".join(terms), document)
        with_any = _counted(connection, " OR ".join(terms), document)
        hits = [Hit(name, passage, whole=True) for name, passage in whole]
        if len(hits) < most:
            known = {(name, passage.number) for name, passage in whole}
            part = _ranked(connection, " OR ".join(terms), document, most + len(known))
            hits += (Hit(name, one, whole=False) for name, one in part if (name, one.number) not in known)
    return Hits(tuple(hits[:most]), with_all, with_any)


def similar_words(path: Path, query: str, most: int = 6) -> list[str]:
    """Words of the documents that are spelled like those of a query."""
    with closing(_opened(path)) as connection:
        known = [row[0] for row in connection.execute("SELECT word FROM vocabulary")]
    found: dict[str, None] = {}
    for word in words_of(query):
        if len(word) >= _SHORTEST_WORD:
            alike = process.extract(word, known, scorer=fuzz.ratio, limit=3, score_cutoff=_ALIKE)
            found.update((str(one[0]), None) for one in alike)
    return list(found)[:most]


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)


def _ranked(
    connection: sqlite3.Connection, expression: str, document: str | None, most: int
) -> list[tuple[str, Passage]]:
    rows = connection.execute(
        "SELECT document, number, passages.text, passages.heading, page "
        "FROM search JOIN passages ON passages.rowid = search.rowid "
        "WHERE search MATCH ? AND (? IS NULL OR document = ?) ORDER BY bm25(search, ?, 1.0), search.rowid LIMIT ?",
        (expression, document, document, _HEADING_COUNTS, most),
    )
    return [(row[0], Passage(row[1], row[2], row[3], row[4])) for row in rows]


def _counted(connection: sqlite3.Connection, expression: str, document: str | None) -> int:
    row = connection.execute(
        "SELECT count(*) FROM search JOIN passages ON passages.rowid = search.rowid "
        "WHERE search MATCH ? AND (? IS NULL OR document = ?)",
        (expression, document, document),
    ).fetchone()
    return int(row[0])


def _vocabulary(passage: Passage) -> Iterator[tuple[str]]:
    words = set(words_of(f"{passage.heading} {passage.text}"))
    return ((word,) for word in words if _SHORTEST_WORD <= len(word) <= _LONGEST_WORD and not word.isdigit())
