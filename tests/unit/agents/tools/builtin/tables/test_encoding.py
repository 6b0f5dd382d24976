"""Which encoding a file's bytes are read in, and which bytes are no text at all."""

import random

import pytest

from agents.tools.builtin.tables.encoding import decode
from orchestrator.errors import InputError

WEST = (
    "Rechnung;Datum;Kunde;Betrag\r\nR-1001;01.03.2026;Grünwald GmbH;1.234,50\r\nR-1002;02.03.2026;Møller Frø;99,00\r\n"
)
CHINESE = (
    "发票号,日期,客户,金额（元）\r\n"
    "R-1001,2026年3月1日,南京紫金医药,３，０７２．５４\r\n"
    "R-1002,2026年3月2日,瀚海鑫淼,９．１０\r\n"
)
TAIWAN = "發票號,日期,客戶,金額\r\nR-1001,2026/3/1,台北貿易公司,3072.54\r\n"
JAPANESE = "請求書番号,日付,取引先,金額\r\nR-1001,2026/3/1,株式会社やまだ商店,3072\r\n"
HALF_KANA = "日付,摘要,金額\r\n2026/3/1,ﾌﾘｺﾐ ｶ)ﾔﾏﾀﾞｼﾖｳﾃﾝ,3072\r\n"
KOREAN = "전표번호,날짜,거래처,금액\r\nR-1001,2026-03-01,대한상사,3072\r\n"
POLISH = "Faktura;Data;Kontrahent;Kwota\r\nR-1001;2026-03-01;Spółka Krąg;12,50\r\nR-1002;2026-03-02;Żubr Łódź;9,10\r\n"
RUSSIAN = "Номер;Дата;Контрагент;Сумма\r\nR-1001;01.03.2026;ООО Ромашка;12,50\r\n"
GREEK = "Αριθμός;Ημερομηνία;Πελάτης;Ποσό\r\nR-1001;01.03.2026;Αθήνα;12,50\r\n"
TURKISH = "Fatura;Tarih;Müşteri;Tutar;Açıklama\r\nR-1001;01.03.2026;Yılmaz İnşaat;12,50;ödeme\r\n"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (WEST, "utf-8"),
        (WEST, "latin-1"),
        (WEST.replace("GmbH", "– 5 €"), "cp1252"),
        (CHINESE, "gb18030"),
        (TAIWAN, "big5"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (HALF_KANA, "cp932"),
        (KOREAN, "euc_kr"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859_2"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (RUSSIAN, "cp866"),
        (GREEK, "cp1253"),
        (TURKISH, "cp1254"),
        (CHINESE, "utf-16-le"),
        (WEST, "utf-16-be"),
    ],
)
def test_a_table_is_read_in_the_encoding_it_was_written_in(text: str, codec: str) -> None:
    """Every encoding of the kinds gives back the same text."""
    assert decode(text.encode(codec), "t.csv").text == text


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(codec: str) -> None:
    """A mark is believed, and is not part of the text."""
    assert decode(CHINESE.encode(codec), "t.csv").text == CHINESE


def test_latin_1_is_named_when_no_byte_is_windows_only() -> None:
    """The two encodings differ in 32 bytes; where none occurs the older name is told, and that it was assumed."""
    found = decode(WEST.encode("latin-1"), "t.csv")
    assert found.encoding == "latin-1"
    assert found.assumptions == ("The file names no encoding; it was read as latin-1.",)


def test_a_stray_byte_does_not_change_the_encoding_of_the_rest() -> None:
    """UTF-8 with one Windows-1252 byte pasted into it stays UTF-8, and it is said."""
    found = decode((WEST * 3).encode() + b"R-9;03.03.2026;Caf\xe9;1,00\r\n", "t.csv")
    assert found.encoding == "utf-8"
    assert found.text.endswith("Café;1,00\r\n")
    assert found.assumptions == ("1 bytes are not UTF-8; they were read as Windows-1252.",)


def test_a_damaged_character_does_not_change_the_encoding_of_the_rest() -> None:
    """A Chinese table with a byte broken is still Chinese, not Cyrillic; the loss is said."""
    data = bytearray((CHINESE * 4).encode("gb18030"))
    data[-4] = 0xFF
    found = decode(bytes(data), "t.csv")
    assert found.encoding == "gb18030"
    assert "damaged characters" in found.assumptions[0]


def test_a_few_nul_bytes_are_left_out() -> None:
    """Padding with NUL is no reason to refuse a table."""
    found = decode((WEST * 20).encode() + b"\0", "t.csv")
    assert found.text == WEST * 20
    assert found.assumptions == ("1 NUL bytes were left out.",)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%PDF-1.7 ...", "this is a PDF document, not a table"),
        (b"\x89PNG\r\n\x1a\n....", "this is a PNG image, not a table"),
        (bytes(range(256)) * 20, "this is binary data, not a table"),
        (b"a,b\x01\x02\x03\x04\x05", "this is binary data, not a table"),
        (b"\xff\xfe\x00\xd8\x00\xd8a", "the file begins as utf-16-le but is not valid utf-16-le"),
        (bytes(random.Random(1).choices(range(128, 256), k=300)), "no encoding makes this file readable text"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(data: bytes, what: str) -> None:
    """Each kind of rubbish is named, with the file and what to do."""
    with pytest.raises(InputError) as caught:
        decode(data, "t.csv")
    assert caught.value.what == what
    assert str(caught.value) == f"t.csv: {what}. Export it as CSV (UTF-8) or XLSX."
