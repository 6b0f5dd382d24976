"""Finds the other party's name in free text: what is left without codes, words of every row and words of payment."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from agents.tools.builtin.reconcile.columns_references import without_references

_PAYMENT_TEXT = """
    payment payments pay paid transfer wire sepa ach bacs chaps credit debit direct from to by ref reference
    invoice inv invoices bill no nr for of the thank thanks you re fw order receipt deposit incoming
    outgoing card fee customer account acct standing zahlung überweisung ueberweisung gutschrift
    lastschrift rechnung rechnungen rg von an für fuer danke vielen dank kunde kd auftrag dauerauftrag
    eingang ausgang virement paiement règlement facture fact de du pour vir recu reçu merci pago
    transferencia factura recibo por para bonifico pagamento fattura da per betaling overboeking factuur van
    voor betalning faktura från till betalning przelew zapłata faktury za platba úhrada оплата платеж платёж
    по счету счёту счет от за перевод fizetés átutalás számla ödeme havale eft fatura 货款 付款 转账 汇款 收款 往来款
    货款付款 振込 振替 入金 支払 お振込 입금 송금 대금 payee payer
"""
_PAYMENT_WORDS = frozenset(_PAYMENT_TEXT.split())
_EDGES = " ,:;/\\|-–—_#*()[]<>\"'·•+"
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_COMMON_ROWS, _COMMON_COMPANY = 0.3, 0.6
_COMMON_AFFIX = 0.8
_ENOUGH_WORDS, _NEARLY_ALL = 12, 0.9
_MOST_DIGITS_OF_NAMES = 3  # «Hotel 21», «Bar 360»
_FEWEST_ROWS = 5
_LONGEST_AFFIX = 6


def plain_name(cell: str) -> str:
    """A name as written, NFKC, blanks folded."""
    return " ".join(unicodedata.normalize("NFKC", cell).split())


def parties_in(texts: Sequence[str]) -> list[str]:
    """The party named in each text; empty where nothing but codes and common words is left."""
    rows = [_words(without_references(text)) for text in texts]
    common = _common_words(rows)
    names = [_name(words, common) for words in rows]
    return _without_affixes(names)


def _words(text: str) -> list[str]:
    # A dot at the end belongs to «S.A.» and to names cut short («Jasper Te.»).
    words = [word.rstrip(_EDGES).lstrip(_EDGES + ".") if word not in ("&", "+") else word for word in text.split()]
    return [word for word in words if word]


def _common_words(rows: Sequence[Sequence[str]]) -> frozenset[str]:
    """Words of the form, not of a name: in many rows, beside most other words (a large customer's are not)."""
    if len(rows) < _FEWEST_ROWS:
        return frozenset()
    sets = [{_plain(word) for word in words if word not in ("&", "+") and not _is_figure(word)} for words in rows]
    counts = Counter(word for words in sets for word in words)
    # Among few words, company shows nothing: then only what stands in nearly every row belongs to the form.
    rows_needed = _COMMON_ROWS if len(counts) >= _ENOUGH_WORDS else _NEARLY_ALL
    return frozenset(
        word
        for word, count in counts.items()
        if count >= rows_needed * len(rows)
        and len(set[str]().union(*(words for words in sets if word in words))) - 1
        >= _COMMON_COMPANY * (len(counts) - 1)
    )


def _name(words: Sequence[str], common: frozenset[str]) -> str:
    kept = [word for word in words if _plain(word) not in common and not _is_figure(word)]
    # Words of payment go at the ends only: «Bank of America», «Banco de Chile» keep theirs.
    while kept and _is_edge(kept[0]):
        kept = kept[1:]
    while kept and _is_edge(kept[-1]):
        kept = kept[:-1]
    return " ".join(kept)


def _plain(word: str) -> str:
    return word.casefold().rstrip(".")


def _is_edge(word: str) -> bool:
    return _plain(word) in _PAYMENT_WORDS or word in ("&", "+")


def _is_figure(word: str) -> bool:
    digits = sum(char.isdigit() for char in word)
    return digits > _MOST_DIGITS_OF_NAMES and digits * 2 > len(word)


def _without_affixes(names: Sequence[str]) -> list[str]:
    """In scripts without blanks the common words stick to the name: `货款北京云帆科技`."""
    eastern = [name for name in names if _EASTERN.search(name)]
    if len(eastern) < _FEWEST_ROWS or len(eastern) * 2 < len(names):
        return list(names)
    head = _common_affix([{name[:size] for size in range(2, _LONGEST_AFFIX)} for name in eastern])
    tail = _common_affix([{name[-size:] for size in range(2, _LONGEST_AFFIX)} for name in eastern])
    stripped = [name.removeprefix(head).removesuffix(tail).strip(_EDGES) for name in names]
    return [short or name for short, name in zip(stripped, names, strict=True)]


def _common_affix(pieces: Sequence[set[str]]) -> str:
    counts = Counter(piece for some in pieces for piece in some)
    common = [piece for piece, count in counts.items() if count >= _COMMON_AFFIX * len(pieces)]
    return max(common, key=len, default="")
