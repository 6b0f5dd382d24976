"""Reads numbers exactly, in the one spelling that a whole column shows."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from agents.tools.builtin.tables.currencies import currency_of

Sign = Literal["", "-", "DR", "CR"]

_TRANSLATED = str.maketrans(
    {
        **dict.fromkeys("−–—‒﹣➖", "-"),
        **dict.fromkeys("’‘`´ʼ＇", "'"),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u2002\u2003\u3000\t", " "),
        **dict.fromkeys("\u200e\u200f\u202a\u202b\u202c\u2066\u2069\u061c\ufeff", None),
        "٫": ".",
        "٬": "'",
        "、": ",",
        "。": ".",
    }
)
_MOST_DIGITS = 22  # longer ones are account numbers, and their sums would not be exact in Decimal's 28 digits
_LARGEST_EXPONENT = 15
SAMPLE = 200
_BLANKS = frozenset({"", "-", "--", "---", "n/a", "na", "null", "none", "nil", "#n/a", "."})
_SIDE = re.compile(r"(?<![^\W\d_])(CR|DR|C|D|H|S|HABEN|SOLL|DB|KREDIT|DEBET|[借贷])\.?$", re.IGNORECASE)
_SIDES: dict[str, Sign] = {
    **dict.fromkeys(("CR", "C", "H", "HABEN", "KREDIT", "贷"), "CR"),
    **dict.fromkeys(("DR", "D", "S", "SOLL", "DB", "DEBET", "借"), "DR"),
}
_PLAIN = re.compile(r"-?[0-9][0-9.,]{0,21}")
"""A number of any spelling, however its signs are meant, that has neither more digits than may be nor anything else."""
_DIGIT = re.compile(r"[0-9]")
_CORE = re.compile(r"\d[\d.,' ]*|[.,]\d+")
_EXPONENT = re.compile(r"(\d(?:[.,]\d+)?)E([+-]\d{1,2})", re.IGNORECASE)
_PARTS = re.compile(r"[.,' ]")
_MARK_AROUND = re.compile(r"^([^\d.,'()+\- ]+\.?)? ?(.*?) ?([^\d.,'()+\- ]+\.?)?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spelled:
    """A cell taken apart: the bare digits with their separators, the sign, the side of the ledger and the currency."""

    core: str
    negative: bool = False
    side: Sign = ""
    currency: str = ""
    exponent: int = 0


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How a column spells numbers."""

    decimal: str
    group: str
    reverse_credit: bool = False
    """True when only `CR` is marked: then the unmarked cells are the debits."""
    proven: bool = False
    """True when a cell proves the decimal sign; False when there is none, or it is assumed."""
    grouped: bool = False
    """True when a cell proves the sign between thousands (`1,234,567`), and so the decimal sign too."""
    assumption: str = ""

    def __str__(self) -> str:
        whole = f"1{self.group}234"
        return f"{whole}{self.decimal}56" if self.proven else whole

    def read(self, cell: str) -> Decimal | None:
        """The exact value of a cell; None when it is blank or no number."""
        spelled = spell(cell)
        if spelled is None:
            return None
        digits = _plain_digits(spelled.core, self.decimal)
        if digits is None:
            return None
        value = Decimal(digits).scaleb(spelled.exponent) if spelled.exponent else Decimal(digits)
        return -value if self._is_negative(spelled) else value

    def _is_negative(self, spelled: Spelled) -> bool:
        minus = "CR" if self.reverse_credit else "DR"
        return spelled.negative != (spelled.side == minus)


def is_blank(cell: str) -> bool:
    """True for cells that hold nothing: empty, a dash, `n/a`."""
    if cell.isascii():
        return cell.strip().lower() in _BLANKS
    return cell.translate(_TRANSLATED).strip().casefold() in _BLANKS


def spell(cell: str) -> Spelled | None:
    """Take a cell apart; None when it is no number in any spelling (`12 %`, `INV-1`, `1.2.3,4`)."""
    # Most cells of a long table are plain numbers or plain words, and each is looked at several times.
    if cell.isascii():
        if _PLAIN.fullmatch(cell):
            negative = cell[0] == "-"
            return Spelled(cell[1:] if negative else cell, negative)
        if not _DIGIT.search(cell):
            return None
    return _taken_apart(cell)


@lru_cache(maxsize=1 << 14)
def _taken_apart(cell: str) -> Spelled | None:
    text = _normal(cell)
    if not text or len(text) > 60:
        return None
    text, side = _take_side(text)
    text, negative = _take_sign(text)
    before, text, after = _take_marks(text)
    if before is None or after is None:
        return None
    text, inner = _take_sign(text)
    text, exponent = _take_exponent(text)
    if not _CORE.fullmatch(text) or (before and after and before != after):
        return None
    if sum(char.isdigit() for char in text) > _MOST_DIGITS or abs(exponent) > _LARGEST_EXPONENT:
        return None
    if negative and inner and "(" not in cell:
        return None
    return Spelled(text, negative or inner, side, before or after, exponent)


def _normal(cell: str) -> str:
    text = unicodedata.normalize("NFKC", cell.translate(_TRANSLATED)).translate(_TRANSLATED).strip()
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(char, char)) for char in text)
    return text


def _take_side(text: str) -> tuple[str, Sign]:
    found = _SIDE.search(text)
    if not found or not any(char.isdigit() for char in text[: found.start()]):
        return text, ""
    return text[: found.start()].rstrip(), _SIDES[found[1].upper()]


def _take_sign(text: str) -> tuple[str, bool]:
    if len(text) > 2 and text[0] == "(" and text[-1] == ")":
        return text[1:-1].strip(), True
    if text.startswith(("-", "+")):
        return text[1:].lstrip(), text[0] == "-"
    if text.endswith(("-", "+")):
        return text[:-1].rstrip(), text[-1] == "-"
    return text, False


def _take_marks(text: str) -> tuple[str | None, str, str | None]:
    """Currency marks before and after the digits: '' for none, None for letters that are no currency."""
    found = _MARK_AROUND.match(text)
    if not found:
        return None, text, None
    before, core, after = found[1] or "", found[2], found[3] or ""
    return (currency_of(before) if before else ""), core.strip(), (currency_of(after) if after else "")


def _take_exponent(text: str) -> tuple[str, int]:
    found = _EXPONENT.fullmatch(text)
    return (found[1], int(found[2])) if found else (text, 0)


def _plain_digits(core: str, decimal: str) -> str | None:
    """The digits as Decimal wants them; None when the groups are no thousands. A clear cell overrules the column."""
    if core.isdigit():
        return core
    own = _own_decimal(core)
    sign = own if own is not None else decimal
    whole, point, fraction = core.rpartition(sign) if sign and core.count(sign) == 1 else (core, "", "")
    if fraction and not fraction.isdigit():
        return None
    parts = _PARTS.split(whole)
    if len(parts) > 1 and not _are_groups(parts, set(_PARTS.findall(whole))):
        return None
    digits = "".join(parts)
    if not digits and not fraction:
        return None
    return f"{digits or '0'}.{fraction}" if point and fraction else (digits or "0")


def _are_groups(parts: Sequence[str], separators: set[str]) -> bool:
    # 1,234,567 and 12,34,567 (India) are grouped; 12.34.56 is not.
    inner = all(len(part) in (2, 3) for part in parts[1:-1])
    return len(separators) == 1 and 1 <= len(parts[0]) <= 3 and len(parts[-1]) == 3 and inner


def _own_decimal(core: str) -> str | None:
    """The decimal sign that this cell alone proves; '' when it proves to have none; None when it may be either."""
    if core.isdigit():
        return None
    dots, commas = core.count("."), core.count(",")
    if dots and commas:
        last = max(core.rfind("."), core.rfind(","))
        return core[last] if core.count(core[last]) == 1 else None
    if not dots and not commas:
        return None
    sign = "." if dots else ","
    if dots + commas > 1:
        return ""
    whole, _, fraction = core.partition(sign)
    if "'" in whole or " " in whole:
        return sign
    grouped = len(fraction) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0")
    return None if grouped else sign


def sampled(filled: Sequence[str]) -> Sequence[str]:
    """Some cells from all over a column: enough to see that it holds something else altogether."""
    step = max(1, len(filled) // SAMPLE)
    return filled[::step][:SAMPLE]


def number_format(cells: Iterable[str], prefer: str = "") -> NumberFormat | None:
    """Decide over a whole column how it spells numbers; None when fewer than nine in ten filled cells are numbers.

    `prefer` is the decimal sign of the neighbouring columns: it decides where no cell of this column does.
    """
    filled = [cell for cell in cells if not is_blank(cell)]
    if sum(1 for cell in sampled(filled) if spell(cell)) * 2 < min(len(filled), SAMPLE):
        return None
    spelled = [one for cell in filled if (one := spell(cell)) is not None]
    if not filled or len(spelled) * 10 < len(filled) * 9:
        return None
    own = [_own_decimal(one.core) for one in spelled]
    decimal, assumption = _column_decimal(spelled, own, prefer)
    sides = {one.side for one in spelled}
    proven = any(own)
    grouped = bool(_repeated(spelled))
    found = NumberFormat(decimal, _column_group(spelled, decimal), sides == {"", "CR"}, proven, grouped, assumption)
    readable = sum(1 for one in spelled if _plain_digits(one.core, decimal) is not None)
    return found if readable * 10 >= len(filled) * 9 else None


def _column_decimal(spelled: Sequence[Spelled], own: Sequence[str | None], prefer: str) -> tuple[str, str]:
    """`own`: the decimal sign that each cell alone proves."""
    votes = Counter(sign for sign in own if sign)
    unclear = [one.core for one, sign in zip(spelled, own, strict=True) if sign is None and _PARTS.search(one.core)]
    unclear = [core for core in unclear if "." in core or "," in core]
    if len(votes) == 2:
        (sign, most), (_, few) = votes.most_common()
        return sign, f"numbers are spelled in two ways ({most} with `{sign}` as the decimal sign, {few} not)"
    if votes:
        return next(iter(votes)), ""
    repeated = _repeated(spelled)
    if not unclear or len(repeated) == 1:
        return ("," if repeated == {"."} else "."), ""  # with 1.234.567, the decimal sign is the other one
    sign = "." if "." in unclear[0] else ","
    other = "," if sign == "." else "."
    if prefer == sign:
        return sign, f"`{unclear[0]}` is read with `{sign}` as the decimal sign, like its neighbours"
    return other, f"`{unclear[0]}` is read with `{sign}` between thousands (nothing in the column decides it)"


def _repeated(spelled: Sequence[Spelled]) -> set[str]:
    """The signs that stand between thousands for sure, because a cell has two of them."""
    return {sign for one in spelled for sign in ".," if one.core.count(sign) > 1}


def _column_group(spelled: Sequence[Spelled], decimal: str) -> str:
    seen = Counter(sign for one in spelled for sign in _PARTS.findall(one.core) if sign != decimal)
    return seen.most_common(1)[0][0] if seen else ""


def currencies(cells: Iterable[str]) -> Counter[str]:
    """How often each currency is named inside the cells of a column."""
    return Counter(one.currency for cell in cells if (one := spell(cell)) and one.currency)
