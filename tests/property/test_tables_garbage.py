"""Bytes of any kind are a table or an InputError of one line, never anything else."""

import io

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.tools.builtin.reconcile.columns import prepare
from agents.tools.builtin.tables.profile import profile
from agents.tools.builtin.tables.reading import parse_table
from orchestrator.errors import InputError

SIGNS = [b",", b";", b"\t", b"|", b'"', b"'", b"\n", b"\r\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"(", b"-", b"\\"]
CELLS = [b"a", b"1", b"1.234,50", b"2026-03-01", b"TOTAL", b"\xe9", b"\xa3\xac", b"amount", b"=SUM(A1)", b"sep=;\r\n"]
TABLE = "ref;date;party;amount\r\n" + "".join(
    f"INV-{row};0{row}.03.2026;Møller;{row}.034,50\r\n" for row in range(1, 9)
)


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in range(20):
        sheet.append([f"INV-{row}", row * 1.5])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


WORKBOOK = _workbook()


def _holds(data: bytes) -> None:
    try:
        grid = parse_table(data, "t")
        assert all(len(row) == len(grid.header) for row in grid.rows)
        assert len(grid.lines) == len(grid.rows) > 0
        assert len(set(grid.header)) == len(grid.header)
        profile(grid).model_dump_json()
        found = prepare(grid, grid)
        assert [entry.row for entry in found.left.entries] == list(range(1, len(grid.rows) + 1))
        assert found.left.totals() == found.right.totals()
    except InputError as error:
        assert "\n" not in str(error)
        assert error.where == "t"


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes(data: bytes) -> None:
    """Noise."""
    _holds(data)


@settings(deadline=None)
@given(st.lists(st.sampled_from(SIGNS + CELLS), max_size=80))
def test_random_pieces_of_tables(pieces: list[bytes]) -> None:
    """What tables are made of, in no order."""
    _holds(b"".join(pieces))


@settings(deadline=None)
@given(
    st.sampled_from(["utf-8", "latin-1", "utf-16", "utf-8-sig"]),
    st.lists(st.tuples(st.integers(0, 600), st.binary(max_size=3), st.integers(0, 20)), min_size=1, max_size=8),
)
def test_damaged_tables(encoding: str, damages: list[tuple[int, bytes, int]]) -> None:
    """Bytes put in and taken out anywhere."""
    data = TABLE.encode(encoding)
    for place, inserted, removed in damages:
        data = data[:place] + inserted + data[place + removed :]
    _holds(data)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, len(WORKBOOK)), st.binary(max_size=3), st.integers(0, 9)), min_size=1, max_size=4)
)
def test_damaged_workbooks(damages: list[tuple[int, bytes, int]]) -> None:
    """A zip archive with bytes put in and taken out."""
    data = WORKBOOK
    for place, inserted, removed in damages:
        data = data[:place] + inserted + data[place + removed :]
    _holds(data)
