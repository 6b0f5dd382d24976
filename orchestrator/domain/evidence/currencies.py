"""The marks of currencies and of powers of ten that stand beside figures."""

import re

_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
CNH CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK
MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR
SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES
VND VUV WST XAF XCD XOF XPF XXX YER ZAR ZMW ZWG RMB
"""
CODES = tuple(_CODES.split())
"""ISO 4217, with XXX for no currency named, and RMB as people write it."""

SIGN = r"(?:[A-Z]{1,3})?[$€£¥₠-₿¢]|元|円|圆|원|zł|kr\.?(?![^\W\d_])"
CURRENCY = rf"(?:{SIGN}|(?<![A-Za-z])(?:{'|'.join(CODES)})(?![A-Za-z]))"
"""A currency beside a figure: a sign, or a code of three letters."""

_POWERS = {
    3: "thousand thousands tsd tsd. tausend mille mil k teur keur t€ k€ 千",
    4: "万 萬",
    5: "lakh lakhs",
    6: "million millions mn mln mio mio. millionen millón millones milhões m meur m€ 百万 百萬",
    7: "crore crores 千万",
    8: "亿 億",
    9: "billion billions bn bln mrd mrd. milliarden milliards milliard b",
    12: "trillion trillions tn 万亿",
}
POWERS = {word: power for power, words in _POWERS.items() for word in words.split()}
"""10 to which power a word or letter stands for."""

_WORD_END = r"(?![^\W\d_])"


def _scale_words() -> str:
    words = sorted((word for word in POWERS if len(word) > 1), key=len, reverse=True)
    return "|".join(
        re.escape(word) + (_WORD_END if word[-1].isascii() and word[-1].isalpha() else "") for word in words
    )


SCALE = rf"(?i:{_scale_words()}|[万萬亿億千])"
LETTER_SCALE = rf"(?:[kKmMbB]{_WORD_END})"
"""A single letter counts only directly behind the digits: 12.3k, 1.2M."""
