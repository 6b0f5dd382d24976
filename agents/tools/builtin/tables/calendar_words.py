"""Takes the spelling of one date apart into three numbers, and says their order where the spelling shows it."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_MONTHS: Mapping[int, str] = {
    1: "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari styczeń stycznia sty ledna leden "
    "január tammikuu tammi ocak oca января янв январь ιαν ianuarie ian",
    2: "february feb februar feber février févr fév febrero febbraio fevereiro fev februari luty lutego lut února únor "
    "február helmikuu helmi şubat şub февраля фев февраль φεβ februarie",
    3: "march mar märz mär mrz mars marzo março maart mrt marzec marca březen března bře március márc maaliskuu maalis "
    "mart марта мар март μαρ martie",
    4: "april apr avril avr abril abr aprile aprili kwiecień kwietnia kwi duben dubna dub április ápr huhtikuu huhti "
    "nisan nis апреля апр апрель απρ aprilie",
    5: "may mai mayo maggio mag maio mei maj maja květen května kvě május máj toukokuu touko mayıs мая май μαι",
    6: "june jun juni juin junio giugno giu junho czerwiec czerwca cze červen června čvn június jún kesäkuu kesä "
    "haziran haz июня июн июнь ιουν iunie",
    7: "july jul juli juillet juil julio luglio lug julho lipiec lipca lip červenec července čvc július júl heinäkuu "
    "heinä temmuz tem июля июл июль ιουλ iulie",
    8: "august aug août aoû agosto ago augustus augusti sierpień sierpnia sie srpen srpna srp augusztus elokuu elo "
    "ağustos ağu августа авг август αυγ",
    9: "september sep sept septembre septiembre settembre set setembro wrzesień września wrz září zář szeptember szept "
    "syyskuu syys eylül eyl сентября сен сент сентябрь σεπ septembrie",
    10: "october oct oktober okt octobre octubre ottobre ott outubro out październik października paź říjen října říj "
    "október lokakuu loka ekim eki октября окт октябрь οκτ octombrie",
    11: "november nov novembre noviembre novembro listopad listopadu lis marraskuu marras kasım kas ноября ноя нояб "
    "ноябрь νοε noiembrie",
    12: "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudzień grudnia gru prosinec prosince "
    "pro joulukuu joulu aralık ara декабря дек декабрь δεκ decembrie",
}
_ZONE = r"(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_TIME = rf"(?:[T,]?\s*\d{{1,2}}[:.h]\d{{2}}(?:[:.]\d{{2}}(?:[.,]\d{{1,9}})?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*{_ZONE})?"
_DAY_NAME = r"(?:[^\W\d_]{2,10}\.?,?\s+)?"
_NUMERIC = re.compile(rf"{_DAY_NAME}(\d{{1,4}})([./\-\s])\s?(\d{{1,2}})\2\s?(\d{{1,4}})\.?{_TIME}")
_COMPACT = re.compile(rf"(\d{{4}})(\d{{2}})(\d{{2}})(?:T?\d{{6}}Z?)?{_TIME}")
_EASTERN = re.compile(r"(\d{2,4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日号號일]?\s*(?:\S+\s*)?" + _TIME)
_ERA = re.compile(r"(令和|平成|昭和|R|H)\s*(\d{1,2}|元)\s*[年.]\s*(\d{1,2})\s*[月.]\s*(\d{1,2})\s*日?")
_ERA_START = {"令和": 2018, "R": 2018, "平成": 1988, "H": 1988, "昭和": 1925}
_DAY_FIRST = re.compile(
    rf"{_DAY_NAME}(\d{{1,2}})(?:st|nd|rd|th|er|º)?\.?[\s\-/.]*(?:de |d')?([^\W\d_]{{3,12}})\.?[\s\-/.,']*"
    rf"(?:de )?(\d{{4}}|\d{{2}}){_TIME}"
)
_MONTH_FIRST = re.compile(
    rf"{_DAY_NAME}([^\W\d_]{{3,12}})\.?[\s\-/]*(\d{{1,2}})(?:st|nd|rd|th)?,?[\s\-/]+(\d{{4}}|\d{{2}}){_TIME}"
)
_YEAR_FIRST = re.compile(rf"(\d{{4}})[\s\-/.]*([^\W\d_]{{3,12}})[\s\-/.]*(\d{{1,2}})\.?{_TIME}")


@dataclass(frozen=True, slots=True)
class DateParts:
    """Three numbers as written; `order` (`ymd`, `dmy`, `mdy`) where the spelling itself shows it, else empty."""

    numbers: tuple[str, str, str]
    order: str = ""


@lru_cache(maxsize=1)
def _month_numbers() -> dict[str, int]:
    found = {word: number for number, words in _MONTHS.items() for word in words.split()}
    return found | {_unaccented(word): number for word, number in found.items()}


def is_month(word: str) -> bool:
    """True when a word is the name of a month, whole or short, in one of the languages."""
    return word.casefold() in _month_numbers()


def _unaccented(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if unicodedata.category(char) != "Mn")


@lru_cache(maxsize=20_000)
def dissect(cell: str) -> DateParts | None:
    """Take a cell apart; None when it is spelled like no date."""
    text = unicodedata.normalize("NFKC", cell).strip()
    if not 6 <= len(text) <= 45 or not any(char.isdigit() for char in text):
        return None
    return _numeric(text) or _eastern(text) or _worded(text)


def _numeric(text: str) -> DateParts | None:
    if found := _COMPACT.fullmatch(text):
        return DateParts((found[1], found[2], found[3]), "ymd")
    found = _NUMERIC.fullmatch(text)
    if not found:
        return None
    numbers = (found[1], found[3], found[4])
    if len(found[1]) == 4:
        return DateParts(numbers, "ymd") if len(found[4]) <= 2 else None
    if len(found[1]) == 3 or len(found[4]) in (1, 3):
        return None
    return DateParts(numbers)


def _eastern(text: str) -> DateParts | None:
    if found := _EASTERN.fullmatch(text):
        return DateParts((found[1], found[2], found[3]), "ymd")
    if found := _ERA.fullmatch(text):
        year = _ERA_START[found[1]] + (1 if found[2] == "元" else int(found[2]))
        return DateParts((str(year), found[3], found[4]), "ymd")
    return None


def _worded(text: str) -> DateParts | None:
    for pattern, order, place in ((_DAY_FIRST, "dmy", 1), (_MONTH_FIRST, "mdy", 0), (_YEAR_FIRST, "ymd", 1)):
        if found := pattern.fullmatch(text):
            numbers = list(found.groups())
            month = _month_numbers().get(numbers[place].casefold())
            if month is None:
                continue
            numbers[place] = str(month)
            return DateParts((numbers[0], numbers[1], numbers[2]), order)
    return None
