"""Reads a Word document (DOCX) by way of HTML."""

import io
from typing import Any

import mammoth

from agents.tools.builtin.documents.document import Document, UnreadableError
from agents.tools.builtin.documents.markup import read_html


def read_docx(data: bytes, name: str) -> Document:
    """The document in a DOCX file. Raises UnreadableError."""
    try:
        html: Any = mammoth.convert_to_html(
            io.BytesIO(data),
            convert_image=mammoth.images.img_element(_no_image),
            external_file_access=False,
            include_embedded_style_map=False,
        ).value
    except Exception as error:
        raise UnreadableError(
            "the file is no Word document, or a damaged one", "Save it again as DOCX or PDF."
        ) from error
    read = read_html(str(html).encode(), name, charset="utf-8")
    return Document("docx", name, read.pages, read.notes)


def _no_image(image: Any) -> dict[str, str]:
    """Pictures are left out; unpacking them into the text would be all that is seen of it."""
    del image
    return {"src": ""}
