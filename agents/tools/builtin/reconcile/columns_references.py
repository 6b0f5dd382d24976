"""Finds what can serve as a reference: a whole cell that is a code, or codes inside free text."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

from agents.tools.builtin.tables.dates import is_date
from agents.tools.builtin.tables.vocabulary import named_as

_LETTERS = r"A-Z\u00c0-\u024f\u0370-\u04ff"
_SEPARATED = rf"[{_LETTERS}0-9]+(?:[-_/.][{_LETTERS}0-9]+)*"
# `INV-2026`, `inv 2026`, `Inv.no 2026`, `Invoice No. 2026`, `RE#2026`: a word, what says «number», then the code.
_PREFIXED = re.compile(
    rf"(?<![{_LETTERS}0-9])([{_LETTERS}]{{1,9}})[ .:\-_/]{{0,2}}((?:NO|NR|NUM|NUMBER|N)[.:]? ?|[#№°º:] ?)?"
    rf"(\d(?:[\d\-/_.]*\d)?)(?![{_LETTERS}0-9])"
)
_TOKEN = re.compile(_SEPARATED)
_NUMBER_WORDS = ("NO", "NR", "NUM", "NUMBER")
_MONEY = re.compile(r"\d{1,3}(?:[.,' ]\d{3})*[.,]\d{1,2}|\d+[.,]\d{1,2}")
_PASSED_OVER = re.compile(
    r"(?<![\w\-/])(?:[A-Z]{2}\d{2}[A-Z0-9]{11,30}|[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?"
    r"|\d{1,4}[./\-]\d{1,2}[./\-]\d{2,4}|\d[\d.,']*[.,]\d{1,2})(?!\w)"
)
_WHOLE_NUMBER = 6  # `RG20260001/20260002` names two invoices, `RE2026/0815` one
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}[/.\-]\d{1,2}")  # `12:30`, and a day without its year
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_FEWEST_IN_CELL, _FEWEST_DIGITS, _FEWEST_BARE = 2, 3, 5
_COMMON_SHARE, _COMMON_FEWEST = 0.2, 5


def reference_key(cell: str) -> str:
    """A reference in the one spelling in which references are compared: NFKC, upper case, letters and digits."""
    return "".join(char for char in unicodedata.normalize("NFKC", cell).upper() if char.isalnum())


def is_code(cell: str) -> bool:
    """True when a whole cell is a code (`INV-20260822`, `4711/26`, `INV 2026 001`), not a text that may hold one."""
    text = unicodedata.normalize("NFKC", cell).strip().upper()
    digits = _counts(text)
    if digits < _FEWEST_IN_CELL or len(text) > 40 or _is_other(text) or any(sign in text for sign in ",;()€$¥£%&"):
        return False
    first, *rest = text.split()
    if not all(_counts(word) or word.strip(".:") in _NUMBER_WORDS for word in rest):
        return False
    if rest and not _counts(first) and any(char.isalpha() for char in rest[-1]):
        return False
    letters = sum(char.isalpha() for char in first)
    if rest and not _counts(first) and letters > 4 and named_as(first, "reference") < 3.0:
        return False
    # `货款INV-20267261`: written without blanks, the words around a code stick to it.
    return not _EASTERN.search(text) or not any(_counts(key) >= _FEWEST_BARE for key in references_in(text))


def code_share(cells: Collection[str]) -> float:
    """The share of the filled cells that are codes."""
    filled = [cell for cell in cells if cell]
    return sum(1 for cell in filled if is_code(cell)) / len(filled) if filled else 0.0


def references_in(text: str, known: Collection[str] = frozenset()) -> list[str]:
    """The codes inside a text, in reading order; `known` references of the other table are found first, in any form."""
    wide = unicodedata.normalize("NFKC", text).upper()
    spans = _spans(wide)
    found = [key for _, _, key in spans]
    if known:
        words = [reference_key(word) for word in _TOKEN.findall(wide)]
        found = [word for word in words if word in known] + found
    return list(dict.fromkeys(found))


def without_references(text: str) -> str:
    """The text with its codes, and the words that announce them (`INV`, `no`), taken out."""
    wide = unicodedata.normalize("NFKC", text)
    # Letter by letter: `ß` would become two, and places in the two spellings must stay the same.
    upper = "".join(char.upper() if len(char.upper()) == 1 else char for char in wide)
    kept, last = [], 0
    for start, end, _ in _spans(upper):
        kept.append(wide[last:start])
        last = max(last, end)
    return " ".join([*kept, wide[last:]])


def _spans(wide: str) -> list[tuple[int, int, str]]:
    """Where codes stand in a text (upper case), and their keys; dates, amounts and bank accounts are passed over."""
    text = _masked(wide)
    found: list[tuple[int, int, str]] = []
    for match in _PREFIXED.finditer(text):
        if _counts(match[3]) >= _FEWEST_DIGITS:
            found += [(*span, key) for span, key in _prefixed_keys(match)]
    taken = [(start, end) for start, end, _ in found]
    for match in _TOKEN.finditer(text):
        overlaps = any(start < match.end() and match.start() < end for start, end in taken)
        if not overlaps and _is_token(match[0]):
            found.append((match.start(), match.end(), reference_key(match[0])))
    return sorted(found)


def _masked(wide: str) -> str:
    def blank(match: re.Match[str]) -> str:
        said = match[0].replace(" ", "")
        hidden = _is_iban(said) if said[0].isalpha() else (is_date(match[0]) or bool(_MONEY.fullmatch(match[0])))
        return "\0" * len(match[0]) if hidden else match[0]

    return _PASSED_OVER.sub(blank, wide)


def _prefixed_keys(match: re.Match[str]) -> list[tuple[tuple[int, int], str]]:
    """The references that a word with digits behind it names; none when the word is no prefix of a reference."""
    word, marker, digits = match[1], match[2], match[3]
    written_as_one = match.start(3) == match.end(1) or match[0][len(word)] in "-_/#"
    if named_as(word, "date") >= 3.0:
        return []
    if not written_as_one and len(word) > 4:
        # `ZAHLUNG 20268357`: a word of the language; `RECHNUNG NR. 4711`: it announces a number.
        announced = bool(marker) or named_as(word, "reference") >= 3.0
        is_year = len(digits) == 4 and digits.startswith(("19", "20"))
        named = announced and _counts(digits) >= 4 and not is_year
        return [(match.span(), reference_key(digits))] if named else []
    parts = digits.split("/")
    if len(parts) > 1 and all(len(part) >= _WHOLE_NUMBER for part in parts):
        return [(match.span(), _prefixed_key(word, part)) for part in parts]
    return [(match.span(), _prefixed_key(word, digits))]


def _prefixed_key(word: str, digits: str) -> str:
    for marker in _NUMBER_WORDS:
        # `INVNO 4711`, written together: the marker is no part of the reference.
        if word.endswith(marker) and len(word) - len(marker) >= 2:
            word = word.removesuffix(marker)
            break
    return reference_key(word + digits)


def _counts(text: str) -> int:
    return sum(char.isdigit() for char in text)


def _is_token(token: str) -> bool:
    digits = _counts(token)
    if _is_other(token):
        return False
    if token.isdigit():
        return digits >= _FEWEST_BARE
    return digits >= _FEWEST_DIGITS or (digits >= 2 and len(token) >= 6)


def _is_other(text: str) -> bool:
    """A date, a time, an amount or a bank account: digits, but no reference."""
    return bool(_MONEY.fullmatch(text) or _TIME.fullmatch(text)) or is_date(text) or _is_iban(text)


def _is_iban(text: str) -> bool:
    compact = text.replace(" ", "")
    if not _IBAN.fullmatch(compact):
        return False
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


def without_common(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Take out what stands in too many rows to identify one (an own account number)."""
    counts = Counter(key for row in rows for key in set(row))
    most = max(_COMMON_FEWEST, _COMMON_SHARE * len(rows))
    return [tuple(key for key in row if counts[key] <= most) for row in rows]
