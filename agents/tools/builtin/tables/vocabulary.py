"""The words that tables use in many languages: what column names mean, and how total rows are labelled."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agents.tools.builtin.tables.calendar_words import is_month
from agents.tools.builtin.tables.currencies import currency_of

Meaning = Literal[
    "amount",
    "debit",
    "credit",
    "balance",
    "other number",
    "sign",
    "date",
    "value date",
    "other date",
    "reference",
    "party",
    "currency",
    "text",
]

_WORDS: Mapping[Meaning, str] = {
    "amount": """
        amount|value|gross|total|sum|paid|amt|betrag|brutto|summe|umsatz|wert|gesamt|gesamtbetrag|montant|
        valeur|ttc|importe|monto|valor|cantidad|importo|ammontare|montante|quantia|bedrag|kwota|wartosc|
        castka|suma|osszeg|belopp|belop|beløb|summa|maara|tutar|miktar|iznos|znesek|сумма|сума|ποσο|金额|金額|
        发生额|發生額|价税合计|税込|금액|합계금액|מכום|סכום|مبلغ|المبلغ
        """,
    "debit": """
        debit|debits|dr|withdrawal|withdrawals|money out|paid out|out|payments out|soll|belastung|lastschrift|
        ausgang|ausgabe|ausgaben|debet|debito|addebito|addebiti|dare|uscite|debe|cargo|cargos|retiro|retiros|
        saida|saidas|af|uttag|ut|winien|wn|obciazenia|ma dati|tartozas|terheles|borc|дебет|расход|списание|
        χρεωση|借方|支出|出金|お支払金額|付款金额|차변|출금
        """,
    "credit": """
        credit|credits|cr|deposit|deposits|money in|paid in|in|haben|gutschrift|eingang|einnahme|einnahmen|
        kredit|credito|crediti|avere|accredito|accrediti|entrate|haber|abono|abonos|deposito|depositos|
        entrada|entradas|bij|insattning|inn|uznania|ma|dal|koveteles|jovairas|alacak|кредит|приход|
        поступление|πιστωση|贷方|貸方|收入|入金|お預り金額|收款金额|대변|입금
        """,
    "balance": """
        balance|saldo|kontostand|solde|余额|餘額|残高|잔액|остаток|сальдо|bakiye|egyenleg|zustatek|υπολοιπο|
        stan|running total
        """,
    "other number": """
        tax|vat|gst|mwst|ust|steuer|net|netto|fee|fees|rate|kurs|qty|quantity|menge|anzahl|count|tva|iva|ht|
        discount|skonto|unit price|price|preis|hours|line|pos|page|year|month|税额|稅額|税抜|不含税|未税|数量|
        單價|单价|単価|消費税|セット|세액|수량|ндс|кол|plz|zip|exchange rate|conto|konto|account|iban|
        kontonummer|bank account|bic|blz
        """,
    "sign": """
        d c|dc|c d|dr cr|cr dr|debit credit|credit debit|s h|h s|soll haben|sign|vorzeichen|sens|direction|
        type|art|typ|af bij|bij af|d h|借贷标志|借贷|借貸|收支|入出金|차대
        """,
    "date": """
        date|datum|fecha|data|dato|day|tag|buchungstag|posted|booked|timestamp|time|jour|pvm|paiva|paivays|
        tarih|дата|день|ημερομηνια|日期|交易日|记账日|記帳日|日付|年月日|取引日|날짜|일자|거래일|kelt|datums|
        תאריך|تاريخ|التاريخ
        """,
    "other date": """
        due|due date|faellig|fallig|falligkeit|echeance|vencimiento|scadenza|vencimento|vervaldatum|splatnost|
        termin platnosci|forfall|forfallsdato|erapaiva|vade|срок|到期日|支払期限|만기일|birth date|created|
        updated|printed|delivery date|period
        """,
    "value date": """
        valuta|wertstellung|value date|value|date valeur|date de valeur|fecha valor|data valuta|rentedatum|
        起息日
        """,
    "reference": """
        reference|ref|invoice|inv|doc|document|voucher|number|no|nr|num|id|key|bill|receipt|order|po|
        transaction|rechnung|rechnungsnummer|rechnungsnr|beleg|belegnummer|belegnr|referenz|nummer|vorgang|
        facture|piece|numero|factura|fattura|documento|nota|fatura|faktura|fakturanummer|factuur|bilagsnr|
        bilag|doklad|cislo|variabilni symbol|vs|szamla|szamlaszam|sorszam|viite|viitenumero|kid|ocr|fis|evrak|
        numer|счет|фактура|номер|документ|накладная|αριθμος|τιμολογιο|发票|發票|单号|單號|凭证|憑證|编号|編號|
        流水号|流水號|订单|請求書|伝票|番号|전표|송장|번호|계산서|מספר|رقم
        """,
    "party": """
        customer|to|from|client|debtor|creditor|vendor|supplier|payer|payee|party|counterparty|counterpart|name|
        company|beneficiary|remitter|sender|recipient|merchant|partner|kunde|kundenname|debitor|kreditor|
        lieferant|auftraggeber|empfanger|empfaenger|zahler|zahlungspflichtiger|begunstigter|
        zahlungsbeteiligter|fournisseur|tiers|beneficiaire|donneur|nom|nome|nombre|cliente|proveedor|
        beneficiario|ordenante|tercero|fornitore|controparte|fornecedor|klant|leverancier|tegenpartij|naam|
        kontrahent|nabywca|odberatel|dodavatel|protistrana|ugyfel|partnernev|kund|leverantor|mottaker|
        avsender|mottagare|asiakas|saaja|maksaja|musteri|firma|cari|unvan|контрагент|клиент|плательщик|
        получатель|покупатель|поставщик|πελατης|客户|客戶|户名|戶名|付款人|收款人|供应商|供應商|对方|對方|
        单位|取引先|顧客|得意先|振込人|相手先|거래처|고객|업체|לקוח|العميل
        """,
    "currency": """
        currency|ccy|cur|curr|iso|wahrung|waehrung|whg|devise|monnaie|moneda|divisa|valuta|moeda|munt|waluta|
        mena|penznem|valuutta|doviz|para birimi|валюта|νομισμα|币种|幣別|货币|貨幣|通貨|통화|מטבע|العملة
        """,
    "text": """
        description|details|detail|text|memo|narrative|particulars|purpose|note|notes|remark|remarks|comment|
        remittance|verwendungszweck|buchungstext|beschreibung|zahlungsgrund|bemerkung|bezeichnung|libelle|
        designation|motif|concepto|descripcion|observaciones|causale|descrizione|descricao|historico|
        omschrijving|mededeling|mededelingen|opis|tytul|tytulem|popis|zprava|ucel|kozlemeny|megjegyzes|
        beskrivning|beskrivelse|tekst|viesti|selite|aciklama|назначение|описание|комментарий|περιγραφη|摘要|
        备注|備註|用途|附言|説明|備考|内容|적요|내용|비고
        """,
}

_TOTALS = """
        total|totals|grand total|subtotal|sub total|sum|sum total|column total|page total|report total|count|
        number of records|summe|summen|gesamt|gesamtsumme|gesamtbetrag|zwischensumme|endsumme|summe gesamt|
        insgesamt|anzahl|total general|total geral|totale|totale generale|totaux|sous total|somme|suma|
        suma total|suma razem|somma|totaal|eindtotaal|subtotaal|razem|ogolem|celkem|soucet|mezisoucet|
        osszesen|vegosszeg|summa|totalt|sum totalt|i alt|yhteensa|toplam|genel toplam|ara toplam|ukupno|
        skupaj|итого|всего|сумма итого|разом|всього|συνολο|γενικο συνολο|合计|总计|小计|总额|合計|総計|小計|
        總計|累计|本期合计|本月合计|합계|총계|소계|סהכ|סך הכל|الإجمالي|المجموع
        """
_BALANCES = """
        balance|opening balance|closing balance|beginning balance|ending balance|balance brought forward|
        balance carried forward|balance forward|brought forward|carried forward|balance b f|b f balance|
        c f balance|bal b f|bal c f|balance c f|saldo|
        anfangssaldo|endsaldo|schlusssaldo|saldovortrag|saldo alt|saldo neu|alter saldo|neuer saldo|ubertrag|
        uebertrag|vortrag|kontostand|solde|solde initial|solde final|solde de depart|report|a reporter|
        saldo inicial|saldo final|saldo anterior|saldo iniziale|saldo finale|beginsaldo|eindsaldo|
        saldo poczatkowe|saldo koncowe|pocatecni zustatek|konecny zustatek|nyito egyenleg|zaro egyenleg|
        ingaende saldo|utgaende saldo|inngaende saldo|alkusaldo|loppusaldo|devir|devreden|сальдо|
        сальдо начальное|сальдо конечное|входящее сальдо|исходящее сальдо|входящий остаток|исходящий остаток|
        余额|期初余额|期末余额|上期结转|承前|繰越|前期繰越|次期繰越|残高|期首残高|期末残高|전기이월|잔액
        """

_LABEL_WORDS = """
    per of the as at for to in on by date amount amounts page section group account month period year quarter all rows
    net gross incl excl am zum bis vom von der des den seite konto monat periode jahr du de des del della au al la le el
    mois mes mese periodo compte cuenta conto general generale na za do dnia bookings payments invoices
"""
_LABEL_PARTS = frozenset(_LABEL_WORDS.split())
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GAP = re.compile(r"[\W_]+")
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u1100-\u11ff\uac00-\ud7a3]")
_AFFIX = 5
_PHRASE = 8
_SHORT_WORDS = "to from in out ut inn af bij dal dr cr d c s h dare stan report ma all"
_ONLY_WHOLE = frozenset(_SHORT_WORDS.split())
"""Short words that name a column alone, but mean something else inside a longer name (`Amount in EUR`)."""


@lru_cache(maxsize=4_096)
def folded(text: str) -> str:
    """Words of a label in one spelling: compatibility forms, small letters, no accents, single blanks."""
    wide = _HUMP.sub(" ", unicodedata.normalize("NFKC", text)).casefold()
    # Marks are taken off letters of alphabets only; in Japanese they make another letter.
    plain = "".join(char if _EASTERN.match(char) else _bare(char) for char in wide)
    return _GAP.sub(" ", plain).strip()


def _bare(char: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFD", char) if unicodedata.category(part) != "Mn")


def _listed(words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folded(word) for word in words.split("|")))


@dataclass(frozen=True, slots=True)
class _Index:
    """The words of one meaning, laid out for looking a label up."""

    whole: frozenset[str]
    affixes: tuple[str, ...]
    eastern: tuple[str, ...]


@lru_cache(maxsize=16)
def _index(meaning: Meaning) -> _Index:
    words = _listed(_WORDS[meaning])
    eastern = tuple(word for word in words if _EASTERN.search(word))
    affixes = tuple(word for word in words if len(word) >= _AFFIX and word not in eastern)
    return _Index(frozenset(words), affixes, eastern)


@lru_cache(maxsize=4)
def _label_words(words: str) -> frozenset[str]:
    return frozenset(_listed(words))


@lru_cache(maxsize=8_192)
def named_as(header: str, meaning: Meaning) -> float:
    """How clearly a column's name has this meaning: 3 the whole name, 2 one of its words, 1.5 a part, 0 not."""
    label = folded(header)
    if not label:
        return 0.0
    index = _index(meaning)
    if label in index.whole:
        return 3.0
    parts = label.split()
    phrases = set(_phrases(parts)) - _ONLY_WHOLE
    if not index.whole.isdisjoint(phrases) or any(word in label for word in index.eastern):
        return 2.0
    # Compounds: Rechnungsbetrag, Buchungsdatum, belopp_netto.
    if any(part.startswith(index.affixes) or part.endswith(index.affixes) for part in parts):
        return 1.5
    return 0.0


def _phrases(parts: list[str]) -> Iterator[str]:
    for size in (1, 2, 3):
        for start in range(len(parts) - size + 1):
            yield " ".join(parts[start : start + size])


def is_known_header(header: str) -> bool:
    """True when a cell reads like the name of a column."""
    return any(named_as(header, meaning) > 0 for meaning in _WORDS)


def is_total_label(cell: str) -> bool:
    """True when a cell says that its row is a sum (`TOTAL`, `Summe EUR`, `合计：`)."""
    return _labelled(folded(cell), _label_words(_TOTALS))


def is_balance_label(cell: str) -> bool:
    """True when a cell says that its row is a balance carried (`Opening balance`, `Endsaldo`, `期初余额`)."""
    return _labelled(folded(cell), _label_words(_BALANCES))


def is_exact_balance_label(cell: str) -> bool:
    """True for the phrases of statements; one short word (`Balance`, `Saldo`) may be a payment's purpose."""
    label = folded(cell)
    return label in _label_words(_BALANCES) and (" " in label or len(label) >= _PHRASE)


def _labelled(label: str, words: frozenset[str]) -> bool:
    """One of the words, alone or with what belongs to a label (`Total EUR`, `Summe per 31 03`), not with a name."""
    if label in words:
        return True
    parts = label.split()
    return any(
        " ".join(parts[:size]) in words and all(map(_belongs_to_label, parts[size:]))
        for size in (3, 2, 1)
        if size < len(parts)
    )


def _belongs_to_label(part: str) -> bool:
    return part.isdigit() or part in _LABEL_PARTS or is_month(part) or currency_of(part) is not None


def known_words(text: str) -> int:
    """How many cells of a text's first lines read like column names in letters above ASCII."""
    cells = {cell for line in text.splitlines()[:12] for cell in re.split(r"[,;\t|]", line) if not cell.isascii()}
    return sum(1 for cell in cells if not any(char.isdigit() for char in cell) and is_known_header(cell.strip(' "')))
