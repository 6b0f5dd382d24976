"""Measures how much a decoded text looks like writing: wrong encodings give rare signs, mixed scripts and odd case."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]+")
_HALF_KANA_RUN = re.compile(r"[\uff61-\uff9f]{3,}")
_ALPHABETS = tuple(
    frozenset(letters)
    for letters in (
        *(
            "äöüßé",
            "àâçéèêëîïôœùûüÿæ",
            "áéíñóúüºª",
            "ãáâàçéêíóôõúüºª",
            "åäöéæøü",
            "àèéìíòóùúº",
            "ëïéèöüóáí",
            "áéíóúýþæðö",
        ),
        *(
            "ąćęłńóśźż",
            "áčďéěíňóřšťúůýžľĺŕäô",
            "áéíóöőúüű",
            "ăâîșşţț",
            "čćđšž",
            "çğıöşüâîû",
            "ąčęėįšųūž",
            "āčēģīķļņšūž",
            "äöõüšž",
        ),
    )
)
_WEST = frozenset().union(*_ALPHABETS[:8])
_EAST = frozenset().union(*_ALPHABETS[8:]) - _WEST
_RARE = frozenset("ฃฅ")  # out of use in Thai for a century, but what full-width digits look like there
_SCRIPTS = (
    ("\u0400", "\u045f", 1.0),
    ("\u0370", "\u03ff", 1.0),
    ("\u0590", "\u06ff", 0.6),
    ("\u0e00", "\u0e7f", 0.6),
    ("\u0000", "\u017f", 0.5),
)
"""Cyrillic, Greek, Hebrew with Arabic, Thai, and Latin letters of no alphabet above."""
_ICELANDIC = frozenset("þðý")  # what Turkish letters look like in Western encodings, and met less often
_PUNCTUATION = frozenset("€£¥ºª°–—’“”、。，．：；（）－／￥「」")
_SIGNS = frozenset("§‘«»…•™®©¿¡·´½¼¾\xa0【】％　")
_LONE_EASTERN = re.compile(
    r"(?<=[a-z])[^\x00-\u024f’](?=[a-z])|(?<![^\x00-\u2fff])[\u3040-\u9fff\uac00-\ud7a3](?=[a-z])"
    r"|(?<=[A-Za-z])[\u3040-\u9fff\uac00-\ud7a3](?=[A-Z])"
)
_MULTIBYTE = frozenset({"gb18030", "cp932", "big5", "euc_kr", "euc_jp", "utf-16-le", "utf-16-be"})
_LETTER_AT_FIGURE = re.compile(r"(?<!\w)[^\W\d_a-zA-Z](?=[\d(])|(?<=[\d)])[ \xa0]?[^\W\d_a-zA-Z](?!\w)")
_NATIONAL = {"gb18030": "gb2312", "big5": "big5", "cp932": "shift_jis", "euc_jp": "shift_jis"}
_UNWANTED = {"Cc": -4.0, "Cn": -4.0, "Co": -4.0, "Cs": -4.0, "Sk": -1.0, "Sm": -1.0, "So": -1.0, "Lm": -1.0}


def plausibility(text: str, codec: str) -> float:
    """About 1 for good writing, below 0 for rubbish, weighed over the characters above ASCII; 1 when there are none."""
    total, weight = 0.0, 0
    width = 2 if codec in _MULTIBYTE else 1
    halves = sum(len(run) for run in _HALF_KANA_RUN.findall(text))
    for char, count in Counter(text).items():
        if char.isascii():
            continue
        size = 1 if _is_half_kana(char) else width
        total += _char_score(char, codec) * count * size
        weight += count * size
    # Banks in Japan write names in runs of half-width kana; a single one is a Latin letter read wrongly.
    total += 2.4 * halves
    if width == 2:
        total -= 2.5 * width * len(_LONE_EASTERN.findall(text))
    else:
        # A currency sign read as a letter: `Ł12,50`, `12,50 Ä`.
        total -= 2.5 * len(_LETTER_AT_FIGURE.findall(text))
        total += sum(_word_score(word) for word in _WORD.findall(text) if not word.isascii())
    return total / weight if weight else 1.0


@lru_cache(maxsize=20_000)
def _char_score(char: str, codec: str) -> float:
    for signs, score in ((_PUNCTUATION, 0.9), (_SIGNS, 0.3)):
        if char in signs:
            return score
    category = unicodedata.category(char)
    if category in _UNWANTED:
        return _UNWANTED[category]
    if "\uff00" <= char <= "\uffee":
        return -2.0 if _is_half_kana(char) else 1.0
    if codec in _MULTIBYTE:
        return _eastern_score(char, codec)
    return _letter_score(char) if category.startswith("L") else -0.5


def _is_half_kana(char: str) -> bool:
    return "\uff61" <= char <= "\uff9f"


def _eastern_score(char: str, codec: str) -> float:
    if "\u3040" <= char <= "\u30ff":
        return 1.05 if codec in ("cp932", "euc_jp") else 0.0
    if "\uac00" <= char <= "\ud7a3":
        return 1.05 if codec == "euc_kr" else 0.5
    if not "\u4e00" <= char <= "\u9fff":
        return _letter_score(char) if codec.startswith("utf") else (0.3 if char in _WEST or char in _EAST else -1.0)
    if _is_common_han(char, codec):
        return 1.0
    return -0.3 if _in_rows(char, _NATIONAL.get(codec, "gb2312"), 0x81, 0xFE) else -1.5


def _is_common_han(char: str, codec: str) -> bool:
    """The first level of each national set holds the characters in daily use."""
    sets = {
        "gb18030": (("gb2312", 0xB0, 0xD7),),
        "big5": (("big5", 0xA4, 0xC6),),
        "cp932": (("shift_jis", 0x88, 0x98),),
        "euc_jp": (("shift_jis", 0x88, 0x98),),
        "euc_kr": (),
    }.get(codec, (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("shift_jis", 0x88, 0x98)))
    return any(_in_rows(char, charset, first, last) for charset, first, last in sets)


def _in_rows(char: str, charset: str, first: int, last: int) -> bool:
    try:
        return first <= char.encode(charset)[0] <= last
    except UnicodeEncodeError:
        return False


def _letter_score(char: str) -> float:
    lower = char.lower()
    for letters, score in ((_RARE, -2.0), (_ICELANDIC, 0.6), (_WEST, 1.0), (_EAST, 0.9)):
        if lower in letters:
            return score
    for first, last, score in _SCRIPTS:
        if first <= char <= last:
            return score
    return -1.0


def _word_score(word: str) -> float:
    """What is odd in a word: two scripts, a capital after a small letter, accents only."""
    foreign = [char for char in word if not char.isascii()]
    latin = [char for char in foreign if char < "\u0250"]
    if latin and len(latin) < len(foreign):
        return -2.0 * len(foreign)
    score = 0.0
    if len(latin) != len(foreign) and len(foreign) < len(word):
        score -= 2.0 * len(foreign)
    if latin and len(latin) == len(word) and len(word) >= 3:
        score -= 1.5 * len(word)
    if latin and not any(alphabet.issuperset(char.lower() for char in latin) for alphabet in _ALPHABETS):
        score -= 0.5 * len(latin)
    for before, char in pairwise(word):
        if before.islower() and char.isupper() and not (before.isascii() and char.isascii()):
            score -= 1.5
    return score
