"""Reads the text of a PDF page by page."""

import re
from collections.abc import Iterator, Sequence
from threading import Lock

import pypdfium2 as pdfium

from agents.tools.builtin.documents.document import Document, Page, UnreadableError

MOST_PAGES = 5_000
_HYPHEN = re.compile("[\ufffe\x02]\r?\n?")
"""How PDFium writes a hyphen that is there only because the line ends."""
_PDFIUM = Lock()
"""PDFium keeps state for the whole process and two threads inside it end the process: whoever calls it holds this.

Taken for one page at a time, so that a long document does not keep a short one waiting.
"""


def read_pdf(data: bytes, name: str) -> Document:
    """The document in a PDF. Raises UnreadableError."""
    try:
        with _PDFIUM:
            document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).casefold():
            raise UnreadableError("the PDF is protected by a password", "Save it without one.") from error
        raise UnreadableError("the file is no PDF, or a damaged one", "Print it to PDF again.") from error
    try:
        with _PDFIUM:
            count = len(document)
            title = str(document.get_metadata_dict().get("Title") or "").strip()
        pages = tuple(_pages(document, min(count, MOST_PAGES)))
    finally:
        with _PDFIUM:
            document.close()
    notes = [f"Only its first {MOST_PAGES:,} of {count:,} pages were read."] if count > MOST_PAGES else []
    blank = [page.number or 0 for page in pages if not page.text.strip()]
    if pages and len(blank) == len(pages):
        what = f"its {len(pages)} pages hold no text: they are images, as a scanner makes them"
        raise UnreadableError(what, "Run text recognition (OCR) over it first.")
    if blank:
        notes.append(f"Without text, perhaps images: pages {_ranges(blank)}.")
    return Document("pdf", title or name, pages, tuple(notes))


def _pages(document: pdfium.PdfDocument, count: int) -> Iterator[Page]:
    for place in range(count):
        with _PDFIUM:
            text = _text(document, place)
        yield Page(_HYPHEN.sub("", text).replace("\r\n", "\n").replace("\0", ""), place + 1)


def _text(document: pdfium.PdfDocument, place: int) -> str:
    """The text of one page; of a damaged one "", so that it is told of like one without text."""
    try:
        page = document[place]
    except pdfium.PdfiumError:
        return ""
    try:
        found = page.get_textpage()
        text = found.get_text_range()
        found.close()
        return text
    except pdfium.PdfiumError:
        return ""
    finally:
        page.close()


def _ranges(numbers: Sequence[int]) -> str:
    """`1 to 3, 7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts)
