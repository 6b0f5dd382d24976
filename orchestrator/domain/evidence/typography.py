"""Folds the ways one text can be typeset into one: digits, full-width signs, spaces, quotes and dashes."""

import re
import unicodedata
from functools import lru_cache

MASK = "\x00"
"""Stands in for what has been read already, so that offsets stay and nothing beside it runs together."""

_ABOVE_ASCII = re.compile(r"[^\x00-\x7f]")
_ALIKE = {
    **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    **dict.fromkeys("’‘ʼ′＇", "'"),
    **dict.fromkeys("‐‑﹣", "-"),
    **dict(zip("【】〔〕٫٬￥￡￠￦", "[][].,¥£¢₩", strict=True)),
}
_QUOTES = re.compile(r"[“”„‟«»「」『』＂]")
_DASHES = re.compile(r"[‐‑‒–—―−﹣－]")
_EMPHASIS = re.compile(r"[*_`~\\]+")
_SPACE = re.compile(r"\s+")


def fold(text: str) -> str:
    """The same text, character for character, with digits and signs of other scripts and widths as in ASCII."""
    return text if text.isascii() else _ABOVE_ASCII.sub(_folded, text)


def flat(text: str) -> str:
    """The words of a text alone: one kind of quote and dash, single spaces, no Markdown emphasis."""
    plain = _EMPHASIS.sub("", fold(text))
    return _SPACE.sub(" ", _DASHES.sub("-", _QUOTES.sub('"', plain))).strip()


def masked(text: str, start: int, end: int) -> str:
    """`text` with one stretch hidden."""
    return text[:start] + MASK * (end - start) + text[end:]


def _folded(match: re.Match[str]) -> str:
    return _fold_one(match[0])


@lru_cache(maxsize=4_096)
def _fold_one(char: str) -> str:
    if char in _ALIKE:
        return _ALIKE[char]
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)
