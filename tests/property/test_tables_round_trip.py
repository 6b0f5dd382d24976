"""A table written in any dialect and encoding is read back cell by cell; what stands around it changes no row."""

import csv
import io
from collections.abc import Sequence
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.tools.builtin.tables.reading import parse_table

NAMES = {
    "utf-8": ["Møller Frø", "Spółka Krąg", "南京紫金医药", "ООО Ромашка", 'say "yes"', "two\nlines", "a, b; c"],
    "utf-8-sig": ["Møller Frø", "南京紫金医药", "Ελλάδα"],
    "utf-16": ["Møller Frø", "南京紫金医药"],
    "latin-1": ["Møller Frø", "Société Lumière", "Grünwald GmbH", "Piñata Events", "Größe & Söhne"],
    "cp1252": ["Møller Frø", "Société Lumière", "O’Brien – Söhne"],
    "gb18030": ["南京紫金医药", "广州南粤食品", "瀚海鑫淼", "上海晨光贸易"],
    "big5": ["台北貿易公司", "新竹科技", "臺灣銀行"],
    "cp932": ["株式会社山田商店", "東京電力", "さくら工業"],
    "euc_kr": ["삼성전자", "대한상사"],
    "cp1251": ["ООО Ромашка", "АО Берёза", "Завод Салют"],
}
HEADERS = {
    "gb18030": ["发票号", "日期", "客户", "金额"],
    "big5": ["發票號", "日期", "客戶", "金額"],
    "cp932": ["請求書番号", "日付", "取引先", "金額"],
    "euc_kr": ["전표번호", "날짜", "거래처", "금액"],
    "cp1251": ["Номер", "Дата", "Контрагент", "Сумма"],
}
PREAMBLES = ["Account statement", "Kontoauszug", "Created 2026-04-01", "Page 1"]


@st.composite
def tables(draw: st.DrawFn, encodings: Sequence[str] = tuple(NAMES)) -> tuple[str, list[list[str]]]:
    """An encoding and a table of bookings whose names it can write."""
    encoding = draw(st.sampled_from(encodings))
    header = HEADERS.get(encoding, ["ref", "date", "party", "amount"])
    rows = [
        [
            f"INV-{draw(st.integers(10_000_000, 99_999_999))}",
            (date(2026, 3, 1) + timedelta(days=draw(st.integers(0, 30)))).isoformat(),
            draw(st.sampled_from(NAMES[encoding])),
            f"{draw(st.integers(-99_999, 999_999)) / 100:.2f}",
        ]
        for _ in range(draw(st.integers(3, 15)))
    ]
    return encoding, [header, *rows]


def written(rows: Sequence[Sequence[str]], delimiter: str, quoting: int, end: str) -> str:
    """The table as a writer of CSV writes it."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)  # pyright: ignore[reportArgumentType]
    return file.getvalue()


@settings(deadline=None)
@given(
    tables(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_cells_come_back_as_they_were_written(
    table: tuple[str, list[list[str]]], delimiter: str, quoting: int, end: str
) -> None:
    """Any delimiter, quoting, line end and encoding."""
    encoding, rows = table
    found = parse_table(written(rows, delimiter, quoting, end).encode(encoding), "t.csv")
    assert [list(found.header), *(list(row) for row in found.rows)] == rows


@settings(deadline=None)
@given(tables(["utf-8"]), st.lists(st.sampled_from(PREAMBLES), max_size=5), st.data())
def test_preambles_and_blank_lines_change_no_row(
    table: tuple[str, list[list[str]]], preamble: list[str], data: st.DataObject
) -> None:
    """The rows, and so their numbers, are those of the bare table; lines tell where they stand in the file."""
    _, rows = table
    rows = [[cell.replace("\n", " ") for cell in row] for row in rows]
    body = [written([row], ";", csv.QUOTE_MINIMAL, "\n") for row in rows]
    lines = [f"{line};;;\n" for line in preamble]
    places: list[int] = []
    for line in body:
        lines += ["\n"] * data.draw(st.integers(0, 2))
        lines.append(line)
        places.append(len(lines))
    found = parse_table("".join(lines).encode(), "t.csv")
    assert [list(found.header), *(list(row) for row in found.rows)] == rows
    assert [found.header_line, *found.lines] == places


@settings(deadline=None)
@given(tables(["utf-8"]), st.sampled_from(["TOTAL", "Summe", "合计", "Итого"]))
def test_a_total_row_changes_no_row(table: tuple[str, list[list[str]]], label: str) -> None:
    """The sum below is not one of the rows."""
    _, rows = table
    cents = sum(round(float(row[3]) * 100) for row in rows[1:])
    total = [label, "", "", f"{cents / 100:.2f}"]
    found = parse_table(written([*rows, total], ",", csv.QUOTE_MINIMAL, "\n").encode(), "t.csv")
    assert [list(row) for row in found.rows] == rows[1:]
    assert found.assumptions == ()
