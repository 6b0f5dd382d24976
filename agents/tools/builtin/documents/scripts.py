"""What search has to know of scripts: those without spaces between words are cut into pairs of characters."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby

_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    r"\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese syllables
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
    r"\uac00-\ud7af"  # Korean syllables: with spaces, but with endings on every word
)
_RUN = re.compile(f"[{_UNSPACED}]+")
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"
"""Vowel signs and accents: parts of words, though Python does not count them as letters."""
_WORD = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])(?:[^\\W_]|[{_MARKS}]))+")
_WIDE = re.compile(f"[{_UNSPACED}]")


def folded(text: str) -> str:
    """Full-width forms as plain ones, without case."""
    return unicodedata.normalize("NFKC", text).casefold()


def indexed(text: str) -> str:
    """The text as the index takes it: `合同法` becomes `合同 同法 法`, other scripts stay."""
    return _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", folded(text))


def terms(query: str) -> list[str]:
    """What a query asks for, each as an expression of SQLite's full-text search; a quoted part is one phrase."""
    found: dict[str, None] = {}
    for place, part in enumerate(re.split(r'["“”„«»]', query)):
        words = list(_words(part))
        found.update(dict.fromkeys([_phrase(words)] if place % 2 and len(words) > 1 else map(_term, words)))
    return list(found)


def words_of(text: str) -> Iterator[str]:
    """The words of scripts that have spaces, folded."""
    return (word for word in _words(text) if not _WIDE.match(word))


def weight(text: str) -> int:
    """How much there is to read: a Chinese character says as much as several letters."""
    if text.isascii():
        return len(text)
    return len(text) + len(_WIDE.findall(text))


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(folded(text)))


def _term(word: str) -> str:
    if not _WIDE.match(word):
        # `Lieferant` finds `Lieferanten` and `Lieferantenvertrag`; a number finds itself.
        return f'"{word}"*' if len(word) >= 4 and not word.isdigit() else f'"{word}"'
    return f'"{word}"*' if len(word) == 1 else '"' + " ".join(_pairs(word)) + '"'


def _phrase(words: list[str]) -> str:
    """Words that stand behind each other; runs of characters have no spaces between them."""
    runs = [(wide, list(group)) for wide, group in groupby(words, key=lambda word: bool(_WIDE.match(word)))]
    joined = [word for wide, group in runs for word in (["".join(group)] if wide else group)]
    tokens = [indexed(word).strip() for word in joined[:-1]]
    last = joined[-1]
    # In the text the last run may go on: what would end it is not asked for.
    tokens += _pairs(last) if _WIDE.match(last) and len(last) > 1 else [last]
    return f'"{" ".join(tokens)}"'


def _pairs(run: str) -> Iterator[str]:
    return (run[place : place + 2] for place in range(len(run) - 1))
