"""Strict JSON text."""

import json
from decimal import Decimal

import pytest

from agents.protocols.json_text import dumps, loads, non_finite, text_bytes, whole_characters
from orchestrator.errors import DefectError


def test_chinese_stays_chinese() -> None:
    """No text is written with escapes that a model would have to read."""
    assert dumps({"city": "上海"}, "here") == '{"city":"上海"}'
    assert text_bytes({"city": "上海"}) == '{"city":"上海"}'.encode()


def test_refuses_nan_with_its_path() -> None:
    """NaN and Infinity are refused, and the message says where they stand."""
    with pytest.raises(DefectError, match=r"here: NaN or Infinity at \$\.a\[1\]\.b is no JSON number"):
        dumps({"a": [1, {"b": float("inf")}]}, "here")


@pytest.mark.parametrize("value", [{"a": Decimal(1)}, {"a": {1, 2}}])
def test_refuses_what_is_no_json(value: object) -> None:
    """A value that JSON has no form for is a defect of ours."""
    with pytest.raises(DefectError, match="cannot be written as JSON"):
        dumps(value, "here")


def test_writes_integers_of_any_size() -> None:
    """No integer is rounded or refused."""
    assert dumps({"n": 2**80}, "here") == '{"n":1208925819614629174706176}'


def test_replaces_broken_characters() -> None:
    """A lone surrogate cannot be sent; a pair of them is one character."""
    assert whole_characters("a\ud83db") == "a\ufffdb"
    assert whole_characters("\ud83d\ude00") == "😀"
    assert json.loads(text_bytes({"a": "x\ud83d"})) == {"a": "x\ufffd"}
    assert json.loads(dumps({"a": "x\ud83d"}, "here")) == {"a": "x\ufffd"}


@pytest.mark.parametrize("body", [b'{"a": NaN}', b'{"a": "\\ud83d"}', b'\xef\xbb\xbf{"a": 1}', b'{"a": "x\ny"}'])
def test_reads_what_python_reads(body: bytes) -> None:
    """A body that one decoder refuses is read by the other."""
    assert isinstance(loads(body), dict)


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": ', b"\xff\xfe", b"[" * 100_000])
def test_refuses_what_is_no_json_at_all(body: bytes) -> None:
    """What neither reads is a ValueError, never anything else."""
    with pytest.raises(ValueError):
        loads(body)


def test_finds_nothing_where_all_is_finite() -> None:
    """Ordinary data has no path to complain about."""
    assert non_finite({"a": [1, 2.5, "x", None, {"b": True}]}) is None
