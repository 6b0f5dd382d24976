"""The words of reading a document: its kind, its pages, and why a file is none."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "markdown", "html", "pdf", "docx"]

MOST_CHARACTERS = 20_000_000
"""Of one document; what lies behind is left out, and the notes say so."""


@dataclass(frozen=True, slots=True)
class Page:
    """A stretch of text; `number` counts the pages of a PDF from 1, other formats have no pages."""

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A file as text. Headings, lists and tables of marked-up formats are Markdown."""

    kind: Kind
    title: str
    pages: tuple[Page, ...]
    notes: tuple[str, ...] = ()


class UnreadableError(Exception):
    """The file is no document that can be read; `what` says why, `mend` what to do."""

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend
