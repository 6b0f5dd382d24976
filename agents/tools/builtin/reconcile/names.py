"""How alike two names of a party are: case, accents, cut ends, legal forms and broken encodings aside."""

import re
import unicodedata
from typing import Final

from rapidfuzz import fuzz

AGREE: Final = 80
"""From this score on two names may be the same party, when the amount is exact."""
SAME: Final = 88
"""From this score on two names are the same party."""

_LEGAL_FORMS: Final = frozenset(
    (
        *("ab", "ag", "aps", "as", "asa", "bhd", "bv", "co", "corp", "corporation", "dac", "eg", "gbr", "gmbh", "inc"),
        *("incorporated", "kft", "kg", "kgaa", "kk", "limited", "llc", "llp", "ltd", "mbh", "nv", "ohg", "oy", "oyj"),
        *("plc", "pte", "pty", "pvt", "sa", "sab", "sarl", "sas", "sasu", "sl", "slu", "snc", "spa", "spol", "srl"),
        *("srls", "sro", "ug"),
    )
)
_UNDECOMPOSED: Final = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
)
_UMLAUT_SPELLINGS: Final = (("ae", "a"), ("oe", "o"), ("ue", "u"))
_WORD: Final = re.compile(r"[^\W_]+")
_MOJIBAKE: Final = re.compile("[ÃÂÅÄâ][\x80-\xff€-™]")
_SHORTEST_CUT: Final = 4


def repaired(name: str) -> str:
    """The name as it was before UTF-8 was read as Latin-1 or Windows-1252 (`MÃ¸ller` → `Møller`)."""
    if not _MOJIBAKE.search(name):
        return name
    for encoding in ("cp1252", "latin-1"):
        try:
            return name.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return name


def folded(name: str) -> str:
    """Lower case, without accents, punctuation and legal form; empty when nothing is left."""
    plain = unicodedata.normalize("NFKC", repaired(unicodedata.normalize("NFC", name))).casefold()
    plain = plain.translate(_UNDECOMPOSED)
    plain = "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    words = _WORD.findall(plain)
    kept = [word for word in words if word not in _LEGAL_FORMS]
    return " ".join(kept or words)


def block_keys(name: str) -> tuple[str, ...]:
    """Beginnings of the words of a folded name: two spellings of one party share at least one."""
    words = [word for word in name.split() if len(word) >= 3 or not word.isascii()]
    return tuple(dict.fromkeys(word[:3] for word in (words or name.split())[:4]))


class Names:
    """Scores pairs of names, each pair once: a month end holds few names and many bookings of each."""

    def __init__(self) -> None:
        self._folded: dict[str, str] = {}
        self._scores: dict[tuple[str, str], int] = {}

    def fold(self, name: str) -> str:
        """`folded(name)`, remembered."""
        found = self._folded.get(name)
        if found is None:
            found = self._folded[name] = folded(name)
        return found

    def score(self, one: str, other: str) -> int | None:
        """0 to 100, the same either way round; None when a name is missing, so nothing can be said."""
        a, b = self.fold(one), self.fold(other)
        if not a or not b:
            return None
        if a == b:
            return 100
        key = (a, b) if a < b else (b, a)
        found = self._scores.get(key)
        if found is None:
            found = self._scores[key] = _score(*key)
        return found


def _score(a: str, b: str) -> int:
    short, long = sorted((a, b), key=lambda name: (len(name), name))
    if len(short.replace(" ", "")) >= _SHORTEST_CUT and long.startswith(short):
        return 97
    if not a.isascii() and min(len(a), len(b)) >= 2 and long.startswith(short):
        return 95
    spelled = max(fuzz.ratio(x, y) for x in _spellings(a) for y in _spellings(b))
    shared = fuzz.token_set_ratio(a, b) if len(short) >= _SHORTEST_CUT else 0.0
    return int(max(spelled, fuzz.token_sort_ratio(a, b), shared - 6))


def _spellings(name: str) -> tuple[str, ...]:
    """The name with and without German vowels written out (`moeller`, `moller`)."""
    flat = name
    for long, short in _UMLAUT_SPELLINGS:
        flat = flat.replace(long, short)
    return (name,) if flat == name else (name, flat)
