"""Reads a file's bytes as a document: the one door, which looks at the bytes before it believes a name."""

import io
import re
import zipfile
from pathlib import PurePath

from agents.tools.builtin.documents.document import MOST_CHARACTERS, Document, Kind, Page, UnreadableError
from agents.tools.builtin.documents.markup import read_html
from agents.tools.builtin.documents.pdf import read_pdf
from agents.tools.builtin.documents.word import read_docx
from agents.tools.builtin.tables.encoding import decode
from orchestrator.errors import InputError

LARGEST = 100_000_000
"""Bytes of a file."""
_HEAD = 4_096
_TABLES = frozenset({".csv", ".tsv", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdown"})
_PAGES = frozenset({".html", ".htm", ".xhtml", ".xht"})
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_CONVERT = "Save it as PDF, DOCX or text."
_KNOWN = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a file of an old Office program"),
    (b"{\\rtf", "an RTF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"PAR1", "a Parquet file"),
)


def read_document(data: bytes, name: str, media_type: str = "", charset: str = "") -> Document:
    """The document in a file's bytes; `media_type` and `charset` as a server gave them. Raises UnreadableError."""
    if len(data) > LARGEST:
        raise UnreadableError(f"the file has more than {LARGEST // 1_000_000} MB", "Split it.")
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise UnreadableError("the file is empty", "Give one with text in it.")
    suffix = PurePath(name).suffix.casefold()
    if b"%PDF-" in data[:1_024]:
        return _limited(read_pdf(data, _stem(name)))
    if data.startswith(b"PK\x03\x04"):
        return _limited(_from_archive(data, name))
    for mark, kind in _KNOWN:
        if data.startswith(mark):
            raise UnreadableError(f"this is {kind}", _CONVERT)
    if suffix in _TABLES:
        raise UnreadableError("this is a table", "Use tables.profile or tables.query for it.")
    if "html" in media_type or suffix in _PAGES or _HTML.match(data[:_HEAD]):
        return _limited(read_html(data, _stem(name), charset=charset))
    return _limited(_from_text(data, name, "markdown" if suffix in _MARKDOWN else "text", charset))


def _from_archive(data: bytes, name: str) -> Document:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {member.filename: member.file_size for member in archive.infolist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UnreadableError("the file is a damaged archive", _CONVERT) from error
    if "xl/workbook.xml" in members or "xl/workbook.bin" in members:
        raise UnreadableError("this is a table", "Use tables.profile or tables.query for it.")
    if "word/document.xml" not in members:
        raise UnreadableError("this is an archive or a document of a kind that cannot be read", _CONVERT)
    if sum(members.values()) > 2 * LARGEST:
        raise UnreadableError(f"the document unpacks to more than {2 * LARGEST // 1_000_000} MB", "Split it.")
    return read_docx(data, _stem(name))


def _from_text(data: bytes, name: str, kind: Kind, charset: str) -> Document:
    text, notes = decoded(data, name, charset)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    heading = _HEADING.search(text) if kind == "markdown" else None
    return Document(kind, heading[1] if heading else _stem(name), (Page(text),), notes)


def decoded(data: bytes, name: str, charset: str = "") -> tuple[str, tuple[str, ...]]:
    """The text in some bytes, and what was assumed about its encoding. Raises UnreadableError."""
    if charset:
        try:
            return data.decode(charset), ()
        except (UnicodeError, LookupError):
            pass  # servers say the wrong thing often enough
    try:
        found = decode(data, name)
    except InputError as error:
        what = error.what.replace("not a table", "not a text")
        raise UnreadableError(what, _CONVERT) from error
    return found.text, found.assumptions


def _stem(name: str) -> str:
    return PurePath(name).stem or name


def _limited(document: Document) -> Document:
    """Leave out what is beyond reason, and say so."""
    left = MOST_CHARACTERS
    pages: list[Page] = []
    for page in document.pages:
        pages.append(Page(page.text[:left], page.number))
        left -= len(page.text)
        if left <= 0:
            note = f"Only its first {MOST_CHARACTERS:,} characters were read."
            return Document(document.kind, document.title, tuple(pages), (*document.notes, note))
    return document
