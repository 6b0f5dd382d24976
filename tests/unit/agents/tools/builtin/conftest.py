"""Files in the formats that tools read, made here."""

import io
import zipfile
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

import pytest

_LATIN = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
_CHINESE = (
    "<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font/Subtype"
    "/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/FontDescriptor"
    "<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800"
    "/Descent -200/CapHeight 700/StemV 80>>>>]>>"
)
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)


@pytest.fixture
def pdf_of() -> Callable[..., bytes]:
    """Make a PDF of pages of lines; Chinese ones where a line is not Latin."""

    def make(*pages: Sequence[str]) -> bytes:
        latin = all(line.isascii() or line.encode("cp1252", "ignore") for page in pages for line in page)
        count = len(pages)
        kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
        objects = [
            b"<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Count {count}/Kids[{kids}]>>".encode(),
            (_LATIN if latin else _CHINESE).encode(),
        ]
        for number, page in enumerate(pages):
            lines = b" T* ".join(_shown(line, latin) + b" Tj" for line in page)
            content = b"BT /F1 12 Tf 72 720 Td 14 TL " + lines + b" ET"
            objects.append(
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
                + f"/Contents {5 + 2 * number} 0 R>>".encode()
            )
            objects.append(f"<</Length {len(content)}>>\nstream\n".encode() + content + b"\nendstream")
        return _assembled(objects)

    return make


@pytest.fixture
def docx_of() -> Callable[..., bytes]:
    """Make a DOCX of paragraphs; one that begins with `# ` is a heading."""

    def make(*paragraphs: str) -> bytes:
        body = "".join(_paragraph(text) for text in paragraphs)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", _TYPES)
            archive.writestr("_rels/.rels", _RELATIONS)
            document = f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
            archive.writestr("word/document.xml", f'<?xml version="1.0" encoding="UTF-8"?>{document}')
        return out.getvalue()

    return make


def _paragraph(text: str) -> str:
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' if text.startswith("# ") else ""
    return f"<w:p>{style}<w:r><w:t>{escape(text.removeprefix('# '))}</w:t></w:r></w:p>"


def _shown(line: str, latin: bool) -> bytes:
    return b"<" + (line.encode("cp1252") if latin else line.encode("utf-16-be")).hex().encode() + b">"


def _assembled(objects: Sequence[bytes]) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places: list[int] = []
    for number, one in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + one + b"\nendobj\n")
    start = out.tell()
    table = b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    size = len(objects) + 1
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n".encode() + table)
    out.write(f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()
