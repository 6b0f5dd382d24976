"""Finds the currency that a cell or a column name tells: an ISO 4217 code, a sign, or a sign that several share."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_CODE_TEXT = """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
    CDF CHF CLP CNY CNH COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
    GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK
    LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR
    PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL
    THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW
    ZWG
"""
_CODES = frozenset(_CODE_TEXT.split())
_OWN_SIGNS: Mapping[str, str] = {
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "₴": "UAH",
    "฿": "THB",
    "₫": "VND",
    "₪": "ILS",
    "₱": "PHP",
    "₦": "NGN",
    "₸": "KZT",
    "₾": "GEL",
    "元": "CNY",
    "圆": "CNY",
    "円": "JPY",
    "원": "KRW",
    "US$": "USD",
    "A$": "AUD",
    "AU$": "AUD",
    "C$": "CAD",
    "CA$": "CAD",
    "HK$": "HKD",
    "NT$": "TWD",
    "NZ$": "NZD",
    "S$": "SGD",
    "R$": "BRL",
    "MX$": "MXN",
    "CN¥": "CNY",
    "JP¥": "JPY",
    "人民币": "CNY",
    "人民幣": "CNY",
    "RMB": "CNY",
    "ZŁ": "PLN",
    "KČ": "CZK",
    "FT": "HUF",
    "ЛВ": "BGN",
    "RM": "MYR",
    "RP": "IDR",
    "SFR": "CHF",
    "FR": "CHF",
    "EURO": "EUR",
    "EUROS": "EUR",
    "РУБ": "RUB",
    "ГРН": "UAH",
    "LEI": "RON",
    "RS": "INR",
    "TL": "TRY",
    "MUR": "MUR",
}
SHARED_SIGNS: Mapping[str, tuple[str, ...]] = {
    "$": ("USD", "AUD", "CAD", "NZD", "SGD", "HKD", "MXN", "TWD", "ARS", "CLP", "COP"),
    "¥": ("CNY", "JPY", "CNH"),
    "KR": ("SEK", "NOK", "DKK", "ISK"),
}
"""Signs that several currencies share, the likeliest first."""

_SYMBOL = "€£₹₩₽₺₴฿₫₪₱₦₸₾$¥"
_MARK = re.compile(
    rf"(?:[A-Z]{{1,2}})?[{_SYMBOL}]|(?<![^\W\d_])[^\W\d_]{{2,5}}(?![^\W\d_])\.?|人民[币幣]|[元圆円원]", re.IGNORECASE
)


@lru_cache(maxsize=4_096)
def currency_of(mark: str) -> str | None:
    """The ISO code of a currency mark; a shared sign as it is (`$`, `¥`, `KR`); None when it is no currency."""
    name = unicodedata.normalize("NFKC", mark).strip().upper().rstrip(".")
    if name in _CODES:
        return name
    return _OWN_SIGNS.get(name) or (name if name in SHARED_SIGNS else None)


def currency_in(label: str) -> str | None:
    """The one currency named inside a label (`Amount (EUR)`, `金额（元）`, `Betrag in €`); None when none is."""
    text = unicodedata.normalize("NFKC", label).replace("_", " ")
    found = {code for match in _MARK.finditer(text) if (code := _label_currency(match[0]))}
    return found.pop() if len(found) == 1 else None


def _label_currency(mark: str) -> str | None:
    # Inside a label, letters are believed only as an ISO code in capitals: `all`, `top`, `fr`, `rs` are words too.
    if mark.isascii() and mark.rstrip(".").isalpha():
        return mark if mark in _CODES and mark not in ("ALL", "TOP", "TRY", "MAD") else _long_name(mark)
    return currency_of(mark)


def _long_name(mark: str) -> str | None:
    name = mark.upper().rstrip(".")
    if name in ("EUR", "USD", "GBP", "CHF", "EURO", "EUROS", "RMB", "CNY", "JPY"):
        return currency_of(name)
    return None
