"""What serves as a reference: whole cells that are codes, and codes inside free text."""

import pytest

from agents.tools.builtin.reconcile.columns_references import (
    is_code,
    reference_key,
    references_in,
    without_common,
    without_references,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FROM Delmar Foods REF INV-20263973", ["INV20263973"]),
        ("Zahlung INV20271097 danke", ["INV20271097"]),
        ("Zahlung inv 20268357 danke", ["INV20268357"]),
        ("Zahlung Inv.no 20273015 danke", ["INV20273015"]),
        ("Zahlung RE: INV-20264932 danke", ["INV20264932"]),
        ("货款 ＩＮＶ－２０２６７２６１", ["INV20267261"]),
        ("货款INV-20267261北京云帆科技", ["INV20267261"]),
        ("Acme / INV-1001, INV-1002", ["INV1001", "INV1002"]),
        ("RG20260001/20260002", ["RG20260001", "RG20260002"]),
        ("RE-2026/0815", ["RE20260815"]),
        ("Rechnung Nr. 4711 vom 01.03.2026 über 1.234,56 EUR", ["4711"]),
        ("PAYMENT 20268357", ["20268357"]),
        ("TX9F3K2 order 55555", ["TX9F3K2", "55555"]),
        ("DE89370400440532013000 Invoice no 20273015", ["20273015"]),
        ("DE89 3704 0044 0532 0130 00 INV-1001", ["INV1001"]),
        ("Rent March 2026", []),
        ("Société Générale, 31.03.2026, 1,234.50", []),
    ],
)
def test_codes_are_found_in_free_text(text: str, found: list[str]) -> None:
    """Prefixes in any spelling; dates, amounts, years and bank accounts are passed over."""
    assert references_in(text) == found


def test_known_references_of_the_other_table_are_found_whatever_they_look_like() -> None:
    """Short numbers and plain words are references when the other table says so."""
    assert references_in("Order 17 for ALPHA", known={"17", "ALPHA"}) == ["17", "ALPHA"]
    assert references_in("Order 17 for ALPHA") == []


@pytest.mark.parametrize(
    "cell", ["INV-20260822", "4711/26", "A1B2C3", "12345", "INV 2026 001", "Invoice No. 4711", "000123", "ＩＮＶ－１２"]
)
def test_a_cell_that_is_a_code(cell: str) -> None:
    """Digits with a short prefix, however they are joined."""
    assert is_code(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "Acme 24 GmbH",
        "2026-03-01",
        "1,234.56",
        "Route 66 Diner",
        "7-Eleven",
        "Zahlung INV-1001",
        "货款INV-20267261",
        "",
    ],
)
def test_a_cell_that_is_no_code(cell: str) -> None:
    """Names, dates, amounts, and texts that only hold a code."""
    assert not is_code(cell)


def test_references_are_compared_in_one_spelling() -> None:
    """Width, case and joints do not matter."""
    assert reference_key("ｉｎｖ－2026/001") == reference_key("INV 2026 001") == "INV2026001"


def test_a_text_without_its_references_keeps_the_rest_as_written() -> None:
    """Case and accents stay; the word before a code goes with it."""
    assert without_references("Größe & Söhne inv 20268357 danke").split() == ["Größe", "&", "Söhne", "danke"]


def test_what_stands_in_too_many_rows_identifies_none() -> None:
    """An own account number in each text is no reference."""
    rows = [["ACC999999", f"INV{row}"] for row in range(1000, 1030)]
    assert without_common(rows) == [(f"INV{row}",) for row in range(1000, 1030)]
