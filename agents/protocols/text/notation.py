"""Reads one JSON value, strictly or in the notations that models mix into JSON; what is ambiguous is refused."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.protocols.json_text import non_finite, whole_value
from agents.protocols.text.literals import CLOSERS, WORDS, Literal, LiteralError, number, quoted

DEEPEST = 60
"""How deep loosely written values may be nested."""
LONGEST = 20_000
"""Characters of a loosely written value; strict JSON may be of any length."""
PYTHON = frozenset({"single quotes", "Python's words", "a trailing comma"})
"""Liberties that are none where a call is written as Python."""

Unquoted = Callable[[str, int], Literal | None]

_BLANK = re.compile(r"[\s\ufeff\u200b]+")
_KEY = re.compile(r"[^\W\d]\w*(?:[.-]\w+)*")
_COMMAS, _COLONS = frozenset(",，、"), frozenset(":：")
_OBJECTS, _OBJECT_ENDS = frozenset("{｛"), frozenset("}｝")
_LISTS = {"[": frozenset("]］"), "［": frozenset("]］"), "【": frozenset("】"), "(": frozenset(")）")}


class NotationError(ValueError):
    """No value can be read: the message is the end of a sentence. `cut`: the text ended before the value did."""

    def __init__(self, why: str, *, cut: bool = False) -> None:
        super().__init__(why)
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Read:
    """A value, where it ends, and the liberties that its writer took; without any it was strict JSON."""

    value: Any
    end: int
    liberties: frozenset[str] = frozenset()


def read_strict(text: str, at: int = 0) -> Read | None:
    """The strict JSON value at `at`, or None. Raises NotationError for numbers that are none and keys given twice."""
    try:
        value, end = _STRICT.raw_decode(text, at)
        path = non_finite(value, "")
        whole = whole_value(value)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise NotationError("it is nested too deep") from None
    except NotationError:
        raise
    except ValueError:
        raise NotationError("it holds a number of too many digits") from None
    if path is not None:
        raise NotationError(f"the number at `{path.lstrip('.')}` is NaN or Infinity")
    return Read(whole, end)


def read_value(text: str, at: int = 0, bare: Unquoted | None = None) -> Read:
    """The value at `at`; `bare` reads the texts that may stand there without quotes. Raises NotationError."""
    if strict := read_strict(text, at):
        return strict
    reader = Reader(text, at, bare)
    value = reader.value()
    return Read(value, reader.at, frozenset(reader.liberties))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise NotationError(f"the key `{twice}` was given twice")
    return value


_LIBERTIES = dict.fromkeys("-+.0123456789", "a number that JSON writes otherwise") | {"'": "single quotes"}
_STRICT = json.JSONDecoder(strict=False, object_pairs_hook=_unique)


class Reader:
    """Reads loosely written values of `text` from `at` on; linear in the length of the text."""

    def __init__(self, text: str, at: int, bare: Unquoted | None = None) -> None:
        self._text = text
        self._bare = bare
        self._path: list[str] = []
        self._end = at + LONGEST
        self.at = at
        self.liberties: set[str] = set()

    def value(self) -> Any:
        """The next value. Raises NotationError."""
        sign = self.next_sign()
        if len(self._path) > DEEPEST or self.at > self._end:
            raise self.wrong("it is nested too deep, or too long, for anything but strict JSON")
        if sign in _OBJECTS:
            return self._object()
        if sign in _LISTS:
            return self._list(sign)
        if self._bare and (literal := self._bare(self._text, self.at)):
            self.liberties.add("a text without quotes")
            self.at = literal.end
            return literal.value
        try:
            literal = quoted(self._text, self.at) if sign in CLOSERS else number(self._text, self.at)
        except LiteralError as error:
            raise self.wrong(str(error), cut=error.cut) from None
        if literal is None:
            return self._word()
        if not literal.strict:
            self.liberties.add(_LIBERTIES.get(sign, "quotes or escapes that JSON does not have"))
        self.at = literal.end
        return literal.value

    def next_sign(self) -> str:
        """The next sign that is neither blank nor comment, which stays to be read. Raises NotationError at the end."""
        while True:
            if blank := _BLANK.match(self._text, self.at):
                self.at = blank.end()
            if self._text.startswith(("//", "#"), self.at):
                end = self._text.find("\n", self.at)
            elif self._text.startswith("/*", self.at):
                end = self._text.find("*/", self.at + 2) + 1
            else:
                break
            self.at = end + 1 if end > 0 else len(self._text)
            self.liberties.add("a comment")
        if self.at >= len(self._text):
            raise self.wrong("it is not complete", cut=True)
        return self._text[self.at]

    def took(self, signs: frozenset[str]) -> bool:
        """True when the next sign was one of these; it is read then."""
        sign = self.next_sign()
        if sign not in signs:
            return False
        if not sign.isascii():
            self.liberties.add("wide punctuation")
        self.at += 1
        return True

    def wrong(self, why: str, *, cut: bool = False) -> NotationError:
        """The error that names the place."""
        place = ".".join(self._path)
        return NotationError(f"at `{place}` {why}" if place else why, cut=cut)

    def name(self) -> str | None:
        """The bare name that stands next, or None."""
        self.next_sign()
        found = _KEY.match(self._text, self.at)
        if found:
            self.at = found.end()
        return found[0] if found else None

    def _object(self) -> dict[str, Any]:
        self.took(_OBJECTS)
        members: dict[str, Any] = {}
        key = ""
        while not self.took(_OBJECT_ENDS):
            key = self._key(key)
            if not self.took(_COLONS):
                raise self.wrong(f"a colon is missing after `{key}`")
            self._path.append(key)
            if self.next_sign() in _COMMAS | _OBJECT_ENDS:
                self.liberties.add("a key without a value")
            elif key in members:
                raise self.wrong(f"the key `{key}` was given twice")
            else:
                members[key] = self.value()
            self._path.pop()
            self._separated(_OBJECT_ENDS)
        return members

    def _key(self, before: str) -> str:
        if self.next_sign() in CLOSERS:
            return str(self.value())
        if before and self._text[self.at].isdigit():
            raise self.wrong(f"the number of `{before}` has a comma; decimals begin with a point")
        key = self.name()
        if key is None:
            raise self.wrong(f"a key in double quotes is due where `{self._text[self.at : self.at + 12]}` stands")
        self.liberties.add("a key without quotes")
        return key

    def _list(self, opener: str) -> Any:
        self.at += 1
        items: list[Any] = []
        closers = _LISTS[opener]
        commas = 0
        if opener != "[":
            self.liberties.add("Python's words" if opener == "(" else "wide punctuation")
        while self.next_sign() not in closers:
            self._path.append(str(len(items)))
            items.append(self.value())
            self._path.pop()
            commas += self._separated(closers)
        self.at += 1
        return items[0] if opener == "(" and len(items) == 1 and not commas else items

    def _separated(self, closers: frozenset[str]) -> bool:
        """Read the comma between members; False when the end comes instead."""
        if not self.took(_COMMAS):
            if self.next_sign() not in closers:
                raise self.wrong(f"a comma is missing before `{self._text[self.at : self.at + 12]}`")
            return False
        if self.next_sign() in closers:
            self.liberties.add("a trailing comma")
        return True

    def _word(self) -> Any:
        start = self.at
        word = self.name()
        if word is None or word.casefold() not in WORDS:
            shown = word or self._text[start : start + 12]
            raise self.wrong(f"`{shown}` is no value; a text stands in double quotes")
        self.liberties.add("Python's words")
        return WORDS[word.casefold()]
