"""Reads HTML as Markdown: what a reader sees of a page, its headings, lists and tables, not what it hides."""

import codecs
import html
import re

import html_to_markdown
from html_to_markdown import ConversionOptions, PreprocessingOptions

from agents.tools.builtin.documents.document import Document, Page, UnreadableError
from agents.tools.builtin.tables.encoding import decode
from orchestrator.errors import InputError

_PRESCANNED = 4_096
_CHARSET = re.compile(rb"""<(?:meta|\?xml)[^>]{0,400}?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,1000})</title", re.IGNORECASE)
_MANY_BLANK = re.compile(r"\n{3,}")
_BROWSERS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
"""What browsers read when a page names the encoding on the left."""


def read_html(data: bytes, name: str, *, charset: str = "", address: str | None = None) -> Document:
    """The document in a page; links become absolute when its `address` is given. Raises UnreadableError."""
    text = page_text(data, charset)
    # When nothing is left without what looks like navigation, it was the page.
    body = _converted(text, address, "standard") or _converted(text, address, "minimal")
    title = _TITLE.search(text)
    said = " ".join(html.unescape(title[1]).split()) if title else ""
    return Document("html", said or name, (Page(body),))


def _converted(text: str, address: str | None, preset: str) -> str:
    navigation = preset == "standard"
    options = ConversionOptions(
        extract_metadata=False,
        skip_images=True,
        strip_tags=["iframe", "object", "embed"],
        sup_symbol="^",
        # A whole page may stand in one form: only its fields are left out.
        preprocessing=PreprocessingOptions(preset=preset, remove_navigation=navigation, remove_forms=False),
        base_url=address,
    )
    try:
        body = html_to_markdown.convert(text, options).content or ""
    except Exception as error:
        raise UnreadableError("the page cannot be read as HTML", "Take another source.") from error
    return _MANY_BLANK.sub("\n\n", body.replace("\xad", "")).strip()


def page_text(data: bytes, charset: str = "") -> str:
    """The source of a page as text: by its mark, the server's word, its own word, or else as UTF-8."""
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(codec, "replace")
    declared = _CHARSET.search(data[:_PRESCANNED])
    named = list(filter(None, map(_codec, [charset, declared[1].decode("ascii", "replace") if declared else ""])))
    for codec in (*named, "utf-8"):
        try:
            return data.decode(codec)
        except UnicodeError:
            continue
    return data.decode(named[0], "replace") if named else _guessed(data)


def _guessed(data: bytes) -> str:
    try:
        return decode(data, "page").text
    except InputError:
        return data.decode("utf-8", "replace")


def _codec(label: str) -> str:
    try:
        found = codecs.lookup(label.strip())
    except (LookupError, ValueError):
        return ""
    # Some codecs (zip, hex) do not make text.
    if not getattr(found, "_is_text_encoding", True):
        return ""
    return "utf-8" if found.name.startswith(("utf-16", "utf-32")) else _BROWSERS.get(found.name, found.name)
