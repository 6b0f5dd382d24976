"""Finds the currencies that a workbook shows only in the number formats of its cells (`#,##0.00 [$€-407]`)."""

import io
import re
import warnings
import zipfile
from collections.abc import Mapping

from openpyxl import load_workbook

from agents.tools.builtin.tables.currencies import currency_of

_STYLES = "xl/styles.xml"
_FORMATS = re.compile(r'formatCode="([^"]*)"')
_PART = re.compile(r'\[\$([^\]\-]+)(?:-[0-9A-Fa-f]+)?\]|"([^"]+)"|&quot;(.+?)&quot;|([€£¥$₹₩₽₺₴₫₪])')


def currency_marks(data: bytes, sheet: str) -> Mapping[tuple[int, int], str]:
    """Row and column (from 1) → currency, for the cells of a sheet whose format names one; empty when none does.

    The formats are only looked up cell by cell when the workbook has such a format at all: it takes seconds.
    """
    if not _names_a_currency(data):
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about style sheets and extensions, of no matter here
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        try:
            codes: dict[str, str | None] = {}
            found: dict[tuple[int, int], str] = {}
            for row in book[sheet].iter_rows():
                for cell in row:
                    if not isinstance(cell.value, int | float) or cell.row is None or cell.column is None:
                        continue
                    shown = str(cell.number_format)
                    code = codes[shown] if shown in codes else codes.setdefault(shown, currency_of_format(shown))
                    if code:
                        found[cell.row, int(cell.column)] = code
            return found
        finally:
            book.close()


def currency_of_format(shown: str) -> str | None:
    """The currency that a number format shows with its numbers; None when it shows none."""
    for match in _PART.finditer(shown.split(";", maxsplit=1)[0]):
        mark = next(group for group in match.groups() if group)
        if code := currency_of(mark):
            return code
    return None


def _names_a_currency(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            styles = archive.read(_STYLES).decode("utf-8", errors="replace")
    except (zipfile.BadZipFile, KeyError, OSError):
        return False
    return any(currency_of_format(code) for code in _FORMATS.findall(styles))
