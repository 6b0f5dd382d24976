"""Decides in which encoding a file's bytes are text."""

import codecs
from dataclasses import dataclass

import charset_normalizer

from agents.tools.builtin.tables.plausibility import plausibility
from agents.tools.builtin.tables.vocabulary import known_words
from orchestrator.errors import InputError

SAMPLE_BYTES = 65_536
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),  # before UTF-16: its first two bytes are the same
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
# Most likely first: the order decides where two encodings read the same letters.
_LEGACY = (
    *("cp1252", "gb18030", "cp932", "big5", "euc_kr", "euc_jp", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp866"),
    *("mac_roman", "cp850", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"),
)
# What is met less often must look better to be believed.
_RARITY = {
    "koi8_r": 0.1,
    "cp866": 0.1,
    "mac_roman": 0.2,
    "cp850": 0.2,
    "cp1254": 0.08,
    "cp1257": 0.08,
    "cp1250": 0.08,
    "iso8859_2": 0.1,
    "cp874": 0.1,
    "cp1256": 0.1,
    "cp1255": 0.1,
}
_UNLISTED_RARITY = 0.4
_MAGIC = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"PAR1", "a Parquet file"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"{\\rtf", "an RTF document"),
)
_MOST_LOST = 50  # one character in so many may be damaged
_DAMAGED = 0.05
_IMPOSSIBLE = -99.0
_ODD_NULS = 1_000
_LEAST_PLAUSIBLE, _LEAST_OF_FEW, _ENOUGH_BYTES = 0.4, -0.2, 60
_MEND = "Export it as CSV (UTF-8) or XLSX."


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text and the encoding it was read in."""

    text: str
    encoding: str
    assumptions: tuple[str, ...] = ()


def decode(data: bytes, where: str) -> Decoded:
    """Decode the bytes of a text table. Raises InputError when they are no text."""
    for mark, codec, label in _BOMS:
        if data.startswith(mark):
            near = _nearly_utf8(data[len(mark) :]) if label == "utf-8" else None
            return near or Decoded(_strict(data, codec, label, where), label)
    _refuse_known_binary(data, where)
    nuls = data.count(b"\0")
    if nuls * _ODD_NULS > len(data):
        return _without_bom(data, where)
    if nuls:
        # Some mainframes pad cells with NUL; a handful of them is no reason to refuse a table.
        rest = decode(data.replace(b"\0", b""), where)
        return Decoded(rest.text, rest.encoding, (f"{nuls} NUL bytes were left out.", *rest.assumptions))
    if _control_share(data) > 0.005:
        raise InputError("this is binary data, not a table", where=where, mend=_MEND)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _nearly_utf8(data) or _legacy(data, where)


def _strict(data: bytes, codec: str, label: str, where: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeError as error:
        raise InputError(f"the file begins as {label} but is not valid {label}", where=where, mend=_MEND) from error


def _refuse_known_binary(data: bytes, where: str) -> None:
    for mark, kind in _MAGIC:
        if data.startswith(mark):
            raise InputError(f"this is {kind}, not a table", where=where, mend=_MEND)


def _without_bom(data: bytes, where: str) -> Decoded:
    # Text in UTF-16 has its line ends and digits as pairs with a zero byte, always on the same side.
    even, odd = data[::2].count(0), data[1::2].count(0)
    codec = "utf-16-le" if odd > even else "utf-16-be"
    rare, often = sorted((even, odd))
    if len(data) % 2 == 0 and often >= len(data) // 20 and rare <= often // 20:
        try:
            text = data.decode(codec)
        except UnicodeError:
            text = "\0"
        if "\0" not in text and plausibility(text, codec) > _LEAST_PLAUSIBLE:
            return Decoded(text, codec)
    raise InputError("this is binary data, not a table", where=where, mend=_MEND)


def _control_share(data: bytes) -> float:
    head = data[:SAMPLE_BYTES]
    allowed = b"\t\n\r\f\x1a\x1b"
    controls = sum(count for value, count in _histogram(head) if value < 32 and value not in allowed)
    return controls / max(1, len(head))


def _histogram(data: bytes) -> list[tuple[int, int]]:
    return [(value, data.count(value)) for value in range(32)]


def _nearly_utf8(data: bytes) -> Decoded | None:
    """UTF-8 into which a few bytes of Windows-1252 were pasted: read as UTF-8, the strays as Windows-1252."""
    text = data.decode("utf-8", errors="surrogateescape")
    strays = sum(1 for char in text if "\udc80" <= char <= "\udcff")
    whole = sum(1 for char in text if char > "\x7f") - strays
    if strays and whole < 2 * strays:
        return None
    mended = "".join(_stray(char) if "\udc80" <= char <= "\udcff" else char for char in text)
    said = (f"{strays} bytes are not UTF-8; they were read as Windows-1252.",) if strays else ()
    return Decoded(mended, "utf-8", said)


def _stray(char: str) -> str:
    return bytes([ord(char) - 0xDC00]).decode("cp1252", errors="replace")


def _legacy(data: bytes, where: str) -> Decoded:
    sample = _sample(data)
    best: tuple[float, str] | None = None
    for codec in dict.fromkeys((*_LEGACY, *_other_guesses(sample))):
        score = _score(data, sample, codec)
        if best is None or score > best[0] + 1e-9:
            best = (score, codec)
    least = _LEAST_PLAUSIBLE if sum(byte > 0x7F for byte in sample) >= _ENOUGH_BYTES else _LEAST_OF_FEW
    if best is None or best[0] < least:
        raise InputError("no encoding makes this file readable text", where=where, mend=_MEND)
    codec = best[1]
    if codec == "cp1252" and not any(0x80 <= byte < 0xA0 for byte in data):
        codec = "latin-1"
    text = data.decode(codec, errors="replace")
    lost = text.count("\ufffd")
    said = f" {lost} damaged characters could not be read." if lost else ""
    return Decoded(text, codec, (f"The file names no encoding; it was read as {codec}.{said}",))


def _score(data: bytes, sample: bytes, codec: str) -> float:
    try:
        text = sample.decode(codec, errors="replace")
        lost = _lost(data, codec)
    except (UnicodeError, LookupError):
        return _IMPOSSIBLE
    if lost * _MOST_LOST > len(text):
        return _IMPOSSIBLE
    damage = _DAMAGED + 10 * lost / len(text) if lost else 0.0
    return plausibility(text, codec) - _rarity(codec) - damage + min(1.5, 0.3 * known_words(text))


def _lost(data: bytes, codec: str) -> int:
    try:
        data.decode(codec)
    except UnicodeError:
        return data.decode(codec, errors="replace").count("\ufffd")
    return 0


def _rarity(codec: str) -> float:
    return _RARITY.get(codec, 0.0 if codec in _LEGACY else _UNLISTED_RARITY)


def _sample(data: bytes) -> bytes:
    """The lines that tell encodings apart: those with bytes above ASCII, up to a limit."""
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    size = 0
    for count, line in enumerate(lines):
        size += len(line)
        if size > SAMPLE_BYTES:
            return b"".join(lines[: count + 1])
    return b"".join(lines)


def _other_guesses(sample: bytes) -> list[str]:
    matches = charset_normalizer.from_bytes(sample[: SAMPLE_BYTES // 4], preemptive_behaviour=False)
    return [match.encoding for match in matches][:3]
