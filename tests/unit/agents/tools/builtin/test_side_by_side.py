"""What reads files in native code is used by several threads of one process at once, each with files of its own."""

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openpyxl

from agents.tools.builtin.code.sandbox import run_sandboxed
from agents.tools.builtin.documents.reading import read_document
from agents.tools.builtin.tables.database import ask
from agents.tools.builtin.tables.reading import parse_table
from agents.tools.local_context import LocalContext

ROWS = 60


def test_native_readers_do_not_disturb_each_other(tmp_path: Path, pdf_of: Callable[..., bytes]) -> None:
    """DuckDB, the reader of workbooks, those of PDF and HTML, the one that guesses encodings, and the sandbox."""
    book = openpyxl.Workbook()
    for row in (("id", "amount"), *((number, number / 2) for number in range(ROWS))):
        book.active.append(row)  # type: ignore[union-attr]
    written = io.BytesIO()
    book.save(written)
    page = f"<html><h1>One</h1>{'<p>a <b>word</b></p>' * ROWS}</html>".encode()
    chinese = ("日期,城市,金额\n" + "2024年1月2日,北京上海,7\n" * ROWS).encode("gb18030")
    (tmp_path / "a.csv").write_text("a,b\n" + "1,2.5\n" * ROWS, "utf-8")

    def sums(place: int) -> object:
        context = LocalContext(inputs={"a": tmp_path / "a.csv"}, settings={"cache": str(tmp_path / str(place % 2))})
        return ask(context, "SELECT sum(a) AS n FROM a", 1).rows[0]["n"]

    def at_once(place: int) -> tuple[object, ...]:
        return (
            sums(place),
            len(parse_table(written.getvalue(), "book.xlsx").rows),
            len(parse_table(chinese, "z.csv").rows),
            read_document(page, "page.html").pages[0].text.count("word"),
            read_document(pdf_of(["one line"]), "a.pdf").pages[0].text.strip(),
            run_sandboxed("sum(range(10))", {}, 20).value,
        )

    with ThreadPoolExecutor(6) as threads:
        found = set(threads.map(at_once, range(6)))
    assert found == {(ROWS, ROWS, ROWS, ROWS, "one line", 45)}
