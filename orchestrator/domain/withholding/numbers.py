"""Finds what names a person or an account: cards, IBANs, phones, addresses, national ids; by their check digits."""

import re
from collections.abc import Iterator
from datetime import date

Span = tuple[int, int]

_START, _END = r"(?<![A-Za-z0-9_.,+])", r"(?![A-Za-z0-9_]|[.,-]\d)"
"""Not inside a longer number or code; Chinese has no spaces, so other letters may stand beside it."""
_CARD = re.compile(
    rf"{_START}(?<![A-Za-z][-/#])(?<!\d-)(?:\d{{4}}([ -])\d{{4}}\1\d{{4}}\1\d{{4}}(?:\1\d{{3}})?"
    rf"|\d{{4}}([ -])\d{{6}}\2\d{{4,5}}|\d{{14,19}}){_END}"
)
_ISSUERS = re.compile(
    r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17}"
    r"|(?:50|5[678]|6[37])\d{14,17}"
)
_IN_IBAN = re.compile(r"(?:[A-Z]{2}\d{2}|\d{4})[ -]$")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,34}")
_IBAN_LENGTHS = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24
SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
_ABROAD = re.compile(
    rf"{_START}(?:\+[1-9]\d{{0,2}}(?:[ ./-]?\(?\d{{1,5}}\)?){{2,7}}"
    rf"|(?<!\d[ /-])00[1-9]\d{{0,2}}(?:[ /-]\(?\d{{2,5}}\)?){{2,6}}){_END}"
)
_LOCAL = re.compile(
    rf"{_START}(?<!-)(?:\(\d{{3}}\) ?\d{{3}}[-. ]\d{{4}}|\d{{3}}([-.])\d{{3}}\1\d{{4}}"
    rf"|1[3-9]\d{{9}}|1[3-9]\d([ -])\d{{4}}\2\d{{4}}){_END}"
)
_SAID = re.compile(
    r"(?i:(?<![a-z])(?:tel|phone|mobile|mobil|fax|telefon|handy|电话|手机)[a-z]{0,6}\.?\s?[:：.]?\s?)"
    rf"(?P<said>\(?\d(?:[ ()/-]{{0,3}}\d){{5,14}}){_END}"
)
_GROUPED = re.compile(r"\+\d{1,3}(?: \d{3})+")
_CHINESE_ID = re.compile(rf"{_START}(?<!-)[1-9]\d{{16}}[\dXx]{_END}")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_US_NUMBER = re.compile(rf"{_START}(?<!-)(?!000|666|9)\d{{3}}-(?!00)\d{{2}}-(?!0000)\d{{4}}{_END}")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9\u00c0-\u024f._+-])[A-Za-z0-9\u00c0-\u024f._+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)


def cards(text: str) -> Iterator[Span]:
    """Payment cards: an issuer's prefix and length, grouped as on a card or not at all, and the right check digit."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        in_iban = " " in match[0] and _IN_IBAN.search(text, max(0, match.start() - 5), match.start())
        if not in_iban and _ISSUERS.fullmatch(digits) and luhn(digits):
            yield match.span()


def luhn(digits: str) -> bool:
    """True when the last digit is the check digit of the others."""
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(value - 9 if value > 9 else value for value in doubled)) % 10 == 0


def ibans(text: str) -> Iterator[Span]:
    """Account numbers with their country's length and the right check digits."""
    lengths = {entry[:2]: int(entry[2:]) for entry in _IBAN_LENGTHS.split()}
    for match in _IBAN.finditer(text):
        length = lengths.get(match[0][:2].upper(), 0)
        places = [at for at, char in enumerate(match[0]) if char.isalnum()]
        if not length or len(places) < length:
            continue
        end = match.start() + places[length - 1] + 1
        if not text[end : end + 1].isalnum() and _mod97(text[match.start() : end]) == 1:
            yield match.start(), end


def _mod97(written: str) -> int:
    plain = re.sub(r"[ -]", "", written).upper()
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97


def emails(text: str) -> Iterator[Span]:
    """Addresses of electronic mail."""
    return (match.span() for match in _EMAIL.finditer(text))


def phones(text: str) -> Iterator[Span]:
    """Phone numbers: with the country's code, in the way of the US, Chinese mobiles, and those said to be one."""
    for match in _ABROAD.finditer(text):
        count = sum(char.isdigit() for char in match[0])
        # `+12 345 678` is a signed amount.
        if 8 <= count <= 15 and (count >= 10 or not _GROUPED.fullmatch(match[0])):
            yield match.span()
    yield from (match.span() for match in _LOCAL.finditer(text))
    yield from (match.span("said") for match in _SAID.finditer(text))


def national_ids(text: str) -> Iterator[Span]:
    """Chinese identity numbers (a real birthday, the right check digit) and US social security numbers."""
    for match in _CHINESE_ID.finditer(text):
        if _is_birthday(match[0][6:14]) and _check_sign(match[0]) == match[0][-1].upper():
            yield match.span()
    yield from (match.span() for match in _US_NUMBER.finditer(text))


def _is_birthday(digits: str) -> bool:
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).year >= 1850
    except ValueError:
        return False


def _check_sign(number: str) -> str:
    return "10X98765432"[sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False)) % 11]
