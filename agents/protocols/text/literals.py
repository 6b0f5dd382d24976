"""Reads the quoted texts and numbers of loosely written JSON."""

import math
import re
from dataclasses import dataclass
from typing import Any

from agents.protocols.json_text import whole_characters

CLOSERS = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "「": "」", "『": "』", "＂": "＂", "`": "`"}
"""The quotes that models open texts with, and what closes each."""
_PLAIN = {closer: re.compile(rf"[^\\{closer}]*") for closer in CLOSERS.values()}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": ""}
_HEX = {sign: re.compile(rf"[0-9a-fA-F]{{{length}}}") for sign, length in (("x", 2), ("u", 4), ("U", 8))}
_NUMBER = re.compile(r"[-+]?(?:[0-9０-９][0-9０-９_]*(?:\.[0-9０-９]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?(?:nan|inf(?:inity)?)\b", re.IGNORECASE)
_MARK = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9]+(?:(?:/[0-9]+)+|(?:-[0-9]+)+|(?:\.[0-9]+){2,})"
)
_AFTER_VALUE = re.compile(r"\s*(?:[,，、}\]｝］】)）]|//|#|/\*|\Z)")
WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None}


class LiteralError(ValueError):
    """No value can be read; the message says why, as the end of a sentence. `cut`: the text ended too early."""

    def __init__(self, why: str, *, cut: bool = False) -> None:
        super().__init__(why)
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Literal:
    """A value, where it ends, and whether strict JSON would have written it so."""

    value: Any
    end: int
    strict: bool


def quoted(text: str, at: int) -> Literal:
    """The text whose opening quote stands at `at`. Raises LiteralError."""
    closer = CLOSERS[text[at]]
    plain, pieces, strict, at = _PLAIN[closer], [], text[at] == '"', at + 1
    while True:
        chunk = plain.match(text, at)
        assert chunk is not None  # the pattern fits also nothing
        pieces.append(chunk[0])
        at = chunk.end()
        if at >= len(text):
            raise LiteralError("a text in quotes does not end", cut=True)
        if text[at] == closer:
            return Literal(whole_characters("".join(pieces)), at + 1, strict)
        piece, at, known = _escaped(text, at)
        pieces.append(piece)
        strict = strict and known


def _escaped(text: str, at: int) -> tuple[str, int, bool]:
    """What the backslash at `at` means, where it ends, and whether JSON knows it; an unknown one stays as it is."""
    sign = text[at + 1 : at + 2]
    if sign in _HEX and (digits := _HEX[sign].match(text, at + 2)) and int(digits[0], 16) <= 0x10FFFF:
        return chr(int(digits[0], 16)), digits.end(), sign == "u"
    if sign in _ESCAPES:
        return _ESCAPES[sign], at + 2, sign != "\n"
    if sign in {'"', "'", "\\", "/"} or sign in CLOSERS:
        return sign, at + 2, sign in {'"', "\\", "/"}
    return "\\" + sign, at + 2, False


def mark(text: str, at: int) -> Literal | None:
    """What begins like a number and can only be a text, at `at`: `1/3`, `10-20`, `2026-03-01`, `1.1.1`, a UUID."""
    found = _MARK.match(text, at)
    return Literal(found[0], found.end(), strict=False) if found and _AFTER_VALUE.match(text, found.end()) else None


def number(text: str, at: int) -> Literal | None:
    """The number at `at`, or None when none begins there. Raises LiteralError for what only looks like one."""
    if word := _NO_NUMBER.match(text, at):
        raise LiteralError(f"`{word[0]}` is no number that can be sent")
    found = _NUMBER.match(text, at)
    if not found:
        return None
    if not _AFTER_VALUE.match(text, found.end()):
        raise LiteralError(f"`{text[at : found.end() + 10].split(maxsplit=1)[0]}` is no number; a text needs quotes")
    return Literal(_value(found[0]), found.end(), bool(_JSON_NUMBER.fullmatch(found[0])))


def _value(written: str) -> int | float:
    digits = written.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        raise LiteralError(f"`{written[:40]}` begins with a nought: write a number without it, or a text in quotes")
    try:
        value = int(written) if digits.replace("_", "").isdigit() else float(written)
    except ValueError:
        raise LiteralError(f"`{written[:40]}` is no number") from None
    if not math.isfinite(value):
        raise LiteralError(f"`{written[:40]}` is larger than any number that can be sent")
    return value
